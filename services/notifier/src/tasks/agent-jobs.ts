import type { Db } from '@ops/service-kit/database';
import { every, type Job } from '@ops/service-kit/every';
import type { Deps } from '../deps.ts';
import { tellUntold } from './agent-service.ts';
import { catchUpWithCustomers, tellUntold as tellUntoldTasks } from './task-service.ts';

const everyMs = 60_000;

/**
 * What an upgrade leaves to catch up with, at the start and every minute: agents and tasks nobody was told of, customers nobody told
 * of, and tasks that stand as the version before left them. There is soon nothing of it left.
 */
export const catchUpWithAgents = (deps: Deps, db: Db, committed: () => void): Job =>
  every(
    everyMs,
    async (goesOn) => {
      await tellUntold(deps, db);
      committed();
      await catchUpWithCustomers(deps, db, goesOn);
      await tellUntoldTasks(deps, db, goesOn);
      committed();
    },
    deps.logger,
    { atOnce: true },
  );
