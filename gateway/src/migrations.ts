/** What the gateway's schema is made by. */
export const migrations: readonly URL[] = [new URL('../migrations/', import.meta.url)];
