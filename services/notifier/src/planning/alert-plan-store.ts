import type { AlertPlan } from '@ops/contracts/resources/alert-plan';
import { type Db, oneRow, type Trx } from '@ops/service-kit/database';
import type { Plan } from './alert-plan.rules.ts';

export async function readPlan(db: Db | Trx): Promise<AlertPlan> {
  return toPlan(await oneRow<Row>(db, 'SELECT * FROM alert_plan'));
}

export async function lockPlan(trx: Trx): Promise<AlertPlan> {
  return toPlan(await oneRow<Row>(trx, 'SELECT * FROM alert_plan FOR UPDATE'));
}

type Row = Omit<AlertPlan, 'updated_at'> & { updated_at: Date };

const toPlan = ({ steps, fall_through, quiet_hours, version, updated_at, updated_by }: Row): AlertPlan => ({
  steps,
  fall_through,
  quiet_hours,
  version,
  updated_by,
  updated_at: updated_at.toISOString(),
});

export async function savePlan(trx: Trx, plan: Plan, by: string, at: Date): Promise<AlertPlan> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  const row = await oneRow<Row>(
    trx,
    `UPDATE alert_plan
     SET steps = :steps, fall_through = :fall_through, quiet_hours = :quiet_hours, version = version + 1,
         updated_by = :by, updated_at = :at
     RETURNING *`,
    { steps: json(plan.steps), fall_through: json(plan.fall_through), quiet_hours: json(plan.quiet_hours), by, at },
  );
  return toPlan(row);
}
