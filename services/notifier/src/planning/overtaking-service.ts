import { daysBetween } from '@ops/contracts/dates';
import type { Overtaking } from '@ops/contracts/internal-routes';
import type { Db } from '@ops/service-kit/database';
import { unavailableWithout } from '@ops/service-kit/internal-client';
import type { Deps } from '../deps.ts';
import { mootBecause } from '../followed/followed.rules.ts';
import { type AlertMessage, actionsAbout, alertsAmong } from './action-store.ts';
import { newestAlert } from './alert-actions.rules.ts';
import { overtakenBecause } from './ends.rules.ts';
import { byUrgency } from './letter.rules.ts';

/** Null: the message is of no alert, or all that it names is still as it says. */
export async function readOvertaking(deps: Deps, db: Db, communicationId: string): Promise<Overtaking | null> {
  for (const alert of (await alertsAmong(db, [communicationId])).toSorted(byUrgency)) {
    const overtaking = await overtakingOf(deps, db, alert);
    if (overtaking) return overtaking;
  }
  return null;
}

async function overtakingOf(deps: Deps, db: Db, alert: AlertMessage): Promise<Overtaking | null> {
  const { renewal_id } = alert;
  const renewal = await deps.renewals.standing(renewal_id).catch(unavailableWithout('Renewals'));
  const { due_date } = renewal;
  const newest = newestAlert({ renewal_id, due_date }, await actionsAbout(db, [{ renewal_id, due_date }]));
  const reason = overtakenBecause(alert, renewal, newest);
  if (!reason) return null;
  const isOver = mootBecause(renewal, due_date) !== null;
  const days_until_due = daysBetween(deps.today(), due_date);
  return {
    message: reason.message,
    newest_alert: newest && !isOver ? { renewal_id, rung: newest.rung, due_date, days_until_due } : null,
  };
}
