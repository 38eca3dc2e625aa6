import type { EventOf } from '@ops/contracts/events';
import type { AlertPlan } from '@ops/contracts/resources/alert-plan';
import { rungs } from '@ops/contracts/resources/renewal';
import type { Db, Trx } from '@ops/service-kit/database';
import type { OutreachPlan } from '../renewals/sequence.rules.ts';
import { keepNewer, readPlan } from './plan-store.ts';

type ToldPlan = Pick<AlertPlan, 'steps' | 'version'>;

/** What notifier is asked, which has the plan; rejects with an InternalCallError. */
export interface AlertPlans {
  read(): Promise<ToldPlan>;
}

export const outreachPlan = async (db: Db | Trx): Promise<OutreachPlan> => (await readPlan(db)).outreach;

export async function followAlertPlan(trx: Trx, changed: readonly EventOf<'alert_plan.changed'>[]): Promise<void> {
  for (const { data } of changed) await learn(trx, data);
}

const learn = (db: Db | Trx, { steps, version }: ToldPlan): Promise<void> =>
  keepNewer(db, { outreach: Object.fromEntries(rungs.map((rung) => [rung, steps[rung].outreach])), version });

/** It was there before anybody followed it: what is told of it later comes by itself. */
export async function askForPlan(plans: AlertPlans, db: Db): Promise<void> {
  if ((await readPlan(db)).version === 0) await learn(db, await plans.read());
}
