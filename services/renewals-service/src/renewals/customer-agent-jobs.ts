import { askForUnheard } from '@ops/following/customer-service';
import type { Db } from '@ops/service-kit/database';
import { every, type Job } from '@ops/service-kit/every';
import type { Logger } from '@ops/service-kit/logger';
import type { Deps } from '../deps.ts';
import { followCustomers } from './customer-agent-service.ts';

const everyMs = 60_000;

/** At the start and every minute; there is soon nobody left to ask for. */
export const askForCustomers = (deps: Deps, db: Db, logger: Logger, committed: () => void): Job =>
  every(
    everyMs,
    async (goesOn) => {
      await askForUnheard(deps.customers, db, (trx, told) => followCustomers(deps, trx, told), goesOn);
      committed();
    },
    logger,
    { atOnce: true },
  );
