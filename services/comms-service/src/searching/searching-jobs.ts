import type { Db } from '@ops/service-kit/database';
import { every, type Job } from '@ops/service-kit/every';
import type { Logger } from '@ops/service-kit/logger';
import { catchUpWithWords } from './searching-service.ts';

const everyMs = 60_000;

/** At the start and every minute; there is soon nothing left. */
export const writeWordsToCome = (db: Db, logger: Logger): Job =>
  every(everyMs, (goesOn) => catchUpWithWords(db, goesOn), logger, { atOnce: true });
