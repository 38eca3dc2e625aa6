import type { AlertPlan, PutAlertPlan } from '@ops/contracts/resources/alert-plan';
import type { Db, Trx } from '@ops/service-kit/database';

export async function readPlan(db: Db | Trx): Promise<AlertPlan> {
  return toPlan(await db('alert_plan').first());
}

export async function lockPlan(trx: Trx): Promise<AlertPlan> {
  return toPlan(await trx('alert_plan').forUpdate().first());
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

export async function savePlan(trx: Trx, plan: PutAlertPlan, by: string, at: Date): Promise<AlertPlan> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  const [row] = await trx('alert_plan')
    .update({
      steps: json(plan.steps),
      fall_through: json(plan.fall_through),
      quiet_hours: json(plan.quiet_hours),
      version: trx.raw('version + 1'),
      updated_by: by,
      updated_at: at,
    })
    .returning('*');
  return toPlan(row);
}
