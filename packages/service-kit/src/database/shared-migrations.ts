import { busMigrations } from '@ops/bus/migrations';

/** What every schema has, before the tables of the service itself. */
export const sharedMigrations: readonly URL[] = [busMigrations, new URL('../../migrations/', import.meta.url)];
