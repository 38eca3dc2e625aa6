import type { Db } from '@ops/service-kit/database';
import { every, type Job } from '@ops/service-kit/every';
import type { Logger } from '@ops/service-kit/logger';
import { type AlertPlans, askForPlan } from './plan-service.ts';

const everyMs = 60_000;

/** At the start and every minute; once it was answered there is nothing left to ask. */
export function followPlan(plans: AlertPlans, db: Db, logger: Logger): Job {
  const turn = () => askForPlan(plans, db);
  const first = turn().catch((error: unknown) => logger.warn({ err: error }, 'will be asked for again in a while'));
  const turns = every(everyMs, turn, logger);
  return {
    stop: async () => {
      await Promise.all([first, turns.stop()]);
    },
  };
}
