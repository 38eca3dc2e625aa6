import type { ServiceName } from '@ops/contracts/routes';
import type { Logger } from '../observing/logger.ts';
import { openDatabase } from './database.ts';
import { untilReachable } from './database-start.ts';
import { migrate } from './migrate.ts';

/** Brings a service's schema up to date without the service, as its role. */
export async function migrateSchema(
  service: ServiceName,
  url: string,
  migrations: readonly URL[],
  logger: Logger,
): Promise<void> {
  const db = openDatabase(url, { applicationName: `migrate ${service}`, logger });
  try {
    await untilReachable(db, logger);
    await migrate(db, migrations);
  } finally {
    await db.destroy();
  }
}
