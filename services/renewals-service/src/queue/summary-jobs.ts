import { type Db, inTransaction } from '@ops/service-kit/database';
import { every, type Job } from '@ops/service-kit/every';
import type { Logger } from '@ops/service-kit/logger';
import { addUpCounts } from './queue-service.ts';

/** The summary reads what changed since, of which an import makes thousands a second. */
const everyMs = 5_000;

export const addUpChanges = (db: Db, logger: Logger): Job =>
  every(everyMs, () => inTransaction(db, (trx) => addUpCounts(trx)), logger);
