import type { Db } from '@ops/service-kit/database';
import { every, type Job } from '@ops/service-kit/every';
import type { Logger } from '@ops/service-kit/logger';
import { type Effects, takeEffect } from './proposal-service.ts';

const TURN_MS = 10_000;

export const takeEffectInTime = (db: Db, effects: Effects, now: () => Date, logger: Logger): Job =>
  every(TURN_MS, () => takeEffect(now, effects, db), logger, { atOnce: true });
