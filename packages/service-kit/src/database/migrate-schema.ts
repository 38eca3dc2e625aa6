import type { ProcessName } from '@ops/contracts/routes';
import type { Logger } from '../observing/logger.ts';
import { startDatabase } from './database-start.ts';

/** Brings the schema of a process up to date without the process, as its role. */
export async function migrateSchema(
  name: ProcessName,
  url: string,
  migrations: readonly URL[],
  logger: Logger,
): Promise<void> {
  const db = await startDatabase(url, { applicationName: `migrate ${name}`, migrations, logger });
  await db.destroy();
}
