import { migrations as commsMigrations } from '@ops/comms-service/migrations';
import type { ProcessName } from '@ops/contracts/routes';
import { migrations as gatewayMigrations } from '@ops/gateway/migrations';
import { migrations as notifierMigrations } from '@ops/notifier/migrations';
import { migrations as renewalsMigrations } from '@ops/renewals-service/migrations';
import { baseConfig } from '@ops/service-kit/config';
import type { Logger } from '@ops/service-kit/logger';
import { migrateSchema } from '@ops/service-kit/migrate-schema';
import { provision, schemaOf } from '@ops/service-kit/provision';
import { tlsSettings } from '@ops/service-kit/tls-settings';
import { migrations as ingestMigrations } from '@ops/webhook-ingest/migrations';
import { z } from 'zod';

const password = z.string().min(1);

export const prepareDatabaseConfig = z.object({
  /** The address of an administrator; it names the database. */
  DATABASE_URL: baseConfig.shape.DATABASE_URL,
  TLS_CA: tlsSettings.shape.TLS_CA,
  COMMS_DATABASE_PASSWORD: password,
  RENEWALS_DATABASE_PASSWORD: password,
  INGEST_DATABASE_PASSWORD: password,
  NOTIFIER_DATABASE_PASSWORD: password,
  GATEWAY_DATABASE_PASSWORD: password,
});
type PrepareDatabaseConfig = z.infer<typeof prepareDatabaseConfig>;

/**
 * Everything that has to be in a database before this version runs on it: roles, schemas and what each process's
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
  for (const [name, migrations] of Object.entries(migrationsOf) as [ProcessName, readonly URL[]][]) {
    await migrateSchema(name, urls[schemaOf[name]], migrations, logger);
    logger.info({ schema: schemaOf[name] }, 'migrated');
  }
}

const migrationsOf: Record<ProcessName, readonly URL[]> = {
  'comms-service': commsMigrations,
  'renewals-service': renewalsMigrations,
  'webhook-ingest': ingestMigrations,
  notifier: notifierMigrations,
  gateway: gatewayMigrations,
};
