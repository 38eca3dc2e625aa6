import { randomBytes } from 'node:crypto';
import { type ServiceName, serviceNames } from '@ops/contracts/routes';
import { z } from 'zod';
import { openDatabase } from '../database/database.ts';
import { untilReachable } from '../database/database-start.ts';
import { migrate, sharedMigrations } from '../database/migrate.ts';
import { provision, schemaOf } from '../database/provision.ts';
import type { Logger } from '../observing/logger.ts';
import { baseConfig } from '../process/config.ts';

const password = z.string().min(1);

export const prepareDatabaseConfig = z.object({
  /** Of an administrator; it names the database. */
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
  for (const service of serviceNames) await migrateSchema(service, urls[schemaOf[service]], logger);
}

async function migrateSchema(service: ServiceName, url: string, logger: Logger): Promise<void> {
  const db = openDatabase(url, { applicationName: `migrate ${service}`, logger });
  try {
    await untilReachable(db, logger);
    const own = new URL(`../../../../services/${service}/migrations/`, import.meta.url);
    await migrate(db, [...sharedMigrations, own]);
    logger.info({ schema: schemaOf[service] }, 'migrated');
  } finally {
    await db.destroy();
  }
}
