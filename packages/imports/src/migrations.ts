/** The tables of imports, in the schema of each service that has some. */
export const importMigrations = new URL('../migrations/', import.meta.url);
