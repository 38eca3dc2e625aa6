import { importMigrations } from '@ops/imports/migrations';
import { sharedMigrations } from '@ops/service-kit/shared-migrations';

/** What this service's schema is made by, in this order. */
export const migrations: readonly URL[] = [
  ...sharedMigrations,
  importMigrations,
  new URL('../migrations/', import.meta.url),
];
