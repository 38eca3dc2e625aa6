/** What makes the bus's tables in the schema of a service. */
export const busMigrations = new URL('../migrations/', import.meta.url);
