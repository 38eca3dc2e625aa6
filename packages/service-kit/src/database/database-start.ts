import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../observing/logger.ts';
import { type Db, execute } from './database.ts';
import { isDatabaseUnavailable } from './database-errors.ts';

const mostTries = 60;
const pauseMs = 500;

/** A database that comes up beside the service, as under compose, is waited for; a wrong password or name is not. */
export async function untilReachable(db: Db, logger: Logger): Promise<void> {
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
