import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../observing/logger.ts';
import { believed } from '../process/tls.ts';
import { type DatabaseOptions, type Db, execute, openDatabase } from './database.ts';
import { isDatabaseUnavailable } from './database-errors.ts';
import { migrate } from './migrate.ts';

interface Started extends DatabaseOptions {
  logger: Logger;
  /** What the schema of the role is made by, in this order. */
  migrations: readonly URL[];
}

/** A pool of connections to a schema that is up to date. */
export async function startDatabase(url: string, { migrations, ...options }: Started): Promise<Db> {
  const db = openDatabase(url, options);
  try {
    await believed('DATABASE_URL', untilReachable(db, options.logger));
    await migrate(db, migrations);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

const mostTries = 60;
const pauseMs = 500;

/** A database that comes up beside the process, as under compose, is waited for; a wrong password or name is not. */
async function untilReachable(db: Db, logger: Logger): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await execute(db, 'SELECT 1');
      return;
    } catch (error) {
      if (!isDatabaseUnavailable(error) || attempt === mostTries) throw error;
      if (attempt === 1) logger.warn({ err: error }, 'waiting for the database');
      await pause(pauseMs);
    }
  }
}
