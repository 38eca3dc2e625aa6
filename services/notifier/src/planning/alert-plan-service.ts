import { isDeepStrictEqual } from 'node:util';
import type { AlertPlan, PutAlertPlan } from '@ops/contracts/resources/alert-plan';
import type { Actor } from '@ops/contracts/roles';
import { audit } from '@ops/service-kit/auditing';
import type { Db, Trx } from '@ops/service-kit/database';
import { unprocessable } from '@ops/service-kit/errors';
import { type HistoryQuery, historyOf } from '@ops/service-kit/history';
import { requireMatch } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import { completed, problemsOf } from './alert-plan.rules.ts';
import * as store from './alert-plan-store.ts';

const subject = { kind: 'alert_plan', id: 'alert_plan' } as const;

export const getAlertPlan = (db: Db): Promise<AlertPlan> => store.readPlan(db);

export const historyOfAlertPlan = (db: Db, query: HistoryQuery) => historyOf(db, subject, query);

/**
 * Alerts that were decided before stay as they were decided, and what follows them is what followed them that night; quiet
 * hours hold for all that has not left.
 */
export async function putAlertPlan(
  { now, outbox }: Deps,
  trx: Trx,
  asked: PutAlertPlan,
  actor: Actor,
  ifMatch: string | undefined,
): Promise<AlertPlan> {
  const { updated_at: _, updated_by: __, version, ...stored } = await store.lockPlan(trx);
  const plan = completed(asked, stored.steps);
  const problems = problemsOf(plan);
  if (problems.length > 0) throw unprocessable(problems);
  requireMatch(ifMatch, version);
  if (isDeepStrictEqual(stored, plan)) return store.readPlan(trx);
  const saved = await store.savePlan(trx, plan, actor.sub, now());
  const { updated_at: occurred_at, updated_by: ___, ...told } = saved;
  await outbox.add(trx, { type: 'alert_plan.changed', data: { ...told, setting: 'alert_plan', occurred_at } });
  await audit(trx, { subject, before: stored, after: plan });
  return saved;
}
