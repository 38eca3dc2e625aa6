import type { Db } from '@ops/service-kit/database';
import { every, type Job } from '@ops/service-kit/every';
import type { Deps } from '../deps.ts';
import { lookAtAlerts } from './ends-service.ts';
import { writeLetters } from './letter-service.ts';

const lookEveryMs = 2_000;
/** Beside people a night's letters take minutes: alerts are looked at in between. */
const longestTurnMs = 10_000;

/** Looked at first: what takes the place of a letter is known before it is written. `committed`: there may be events to publish. */
export const startLookingAtAlerts = (deps: Deps, db: Db, committed: () => void): Job =>
  every(
    lookEveryMs,
    async (goesOn) => {
      const began = performance.now();
      const { looked } = await lookAtAlerts(deps, db);
      const { written } = await writeLetters(deps, db, () => goesOn() && performance.now() - began < longestTurnMs);
      if (looked + written > 0) committed();
    },
    deps.logger,
  );
