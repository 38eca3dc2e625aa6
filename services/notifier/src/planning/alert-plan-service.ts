import { isDeepStrictEqual } from 'node:util';
import type { AlertPlan, PutAlertPlan } from '@ops/contracts/resources/alert-plan';
import type { Actor } from '@ops/contracts/roles';
import type { Db, Trx } from '@ops/service-kit/database';
import { unprocessable } from '@ops/service-kit/errors';
import { requireMatch } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import * as store from './alert-plan-store.ts';

export const getAlertPlan = (db: Db): Promise<AlertPlan> => store.readPlan(db);

/** Alerts that were decided before stay as they were decided; quiet hours hold for all that has not left. */
export async function putAlertPlan(
  { now }: Deps,
  trx: Trx,
  plan: PutAlertPlan,
  actor: Actor,
  ifMatch: string | undefined,
): Promise<AlertPlan> {
  const problems = problemsOf(plan);
  if (problems.length > 0) throw unprocessable(problems);
  const stored = await store.lockPlan(trx);
  requireMatch(ifMatch, stored.version);
  const { steps, fall_through, quiet_hours } = stored;
  if (isDeepStrictEqual({ steps, fall_through, quiet_hours }, plan)) return stored;
  return store.savePlan(trx, plan, actor.sub, now());
}

function problemsOf({ steps, fall_through, quiet_hours }: PutAlertPlan) {
  const lists = [
    ...Object.entries(steps).map(([rung, { channels }]) => ({ path: `steps.${rung}.channels`, list: channels })),
    { path: 'fall_through', list: fall_through },
  ];
  const repeated = lists.filter(({ list }) => new Set(list).size < list.length);
  return [
    ...repeated.map(({ path }) => ({ path, message: 'must not repeat' })),
    ...(quiet_hours && quiet_hours.from === quiet_hours.until
      ? [{ path: 'quiet_hours.until', message: 'must differ from `from`; null means no quiet hours' }]
      : []),
  ];
}
