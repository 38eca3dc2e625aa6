import { randomBytes } from 'node:crypto';
import { migrations as commsMigrations } from '@ops/comms-service/migrations';
import { type ServiceName, serviceNames } from '@ops/contracts/routes';
import { migrations as notifierMigrations } from '@ops/notifier/migrations';
import { migrations as renewalsMigrations } from '@ops/renewals-service/migrations';
import { baseConfig } from '@ops/service-kit/config';
import type { Logger } from '@ops/service-kit/logger';
import { migrateSchema } from '@ops/service-kit/migrate-schema';
import { provision, schemaOf } from '@ops/service-kit/provision';
import { migrations as ingestMigrations } from '@ops/webhook-ingest/migrations';
import { z } from 'zod';

const password = z.string().min(1);

export const prepareDatabaseConfig = z.object({
  /** The address of an administrator; it names the database. */
  DATABASE_URL: baseConfig.shape.DATABASE_URL,
  COMMS_DATABASE_PASSWORD: password,
  RENEWALS_DATABASE_PASSWORD: password,
  INGEST_DATABASE_PASSWORD: password,
  NOTIFIER_DATABASE_PASSWORD: password,
  /** Only where Postgres plays the broker's part has the gateway anything to do there; else nobody knows it. */
  GATEWAY_DATABASE_PASSWORD: password.default(() => randomBytes(32).toString('base64url')),
});
type PrepareDatabaseConfig = z.infer<typeof prepareDatabaseConfig>;

/**
 * Everything that has to be in a database before this version runs on it: roles, schemas and what each service's
 * migrations make, each by the role that will own it. May run beside the version before, and any number of times.
 */
export async function prepareDatabase(config: PrepareDatabaseConfig, logger: Logger): Promise<void> {
  const urls = await provision(config.DATABASE_URL, {
    comms: config.COMMS_DATABASE_PASSWORD,
    renewals: config.RENEWALS_DATABASE_PASSWORD,
    ingest: config.INGEST_DATABASE_PASSWORD,
    notifier: config.NOTIFIER_DATABASE_PASSWORD,
    gateway: config.GATEWAY_DATABASE_PASSWORD,
  });
  for (const service of serviceNames) {
    await migrateSchema(service, urls[schemaOf[service]], migrationsOf[service], logger);
    logger.info({ schema: schemaOf[service] }, 'migrated');
  }
}

const migrationsOf: Record<ServiceName, readonly URL[]> = {
  'comms-service': commsMigrations,
  'renewals-service': renewalsMigrations,
  'webhook-ingest': ingestMigrations,
  notifier: notifierMigrations,
};
