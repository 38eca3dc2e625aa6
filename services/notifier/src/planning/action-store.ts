import type { Failure } from '@ops/contracts/resources/communication';
import type { Db, Trx } from '@ops/service-kit/database';
import type { Followed } from '../followed/followed.rules.ts';
import { type Action, type AlertKey, keyOf } from './alert-actions.rules.ts';
import type { Decision } from './planning.rules.ts';

const COLUMNS = `a.id, a.renewal_id, a.due_date, a.rung, a.channel, a.customer_id, a.service_label, a.outcome,
  a.instead_of, a.reason, a.priority, a.carried_out, a.send_after, a.task_id`;

/**
 * Of these alerts, and of all others about the same dates. The renewals' rows are locked by then, so nobody else decides
 * about them.
 */
export async function actionsAbout(trx: Trx, alerts: readonly AlertKey[]): Promise<Map<string, Action[]>> {
  const { rows } = await trx.raw(
    `SELECT ${COLUMNS} FROM alert_actions a
     JOIN (SELECT DISTINCT * FROM jsonb_to_recordset(CAST(:alerts AS jsonb))
             AS t (renewal_id uuid, due_date date)) wanted USING (renewal_id, due_date)
     ORDER BY a.decided_at, a.id`,
    { alerts: JSON.stringify(alerts.map(({ renewal_id, due_date }) => ({ renewal_id, due_date }))) },
  );
  return Map.groupBy(rows as Action[], keyOf);
}

export async function insertActions(trx: Trx, actions: readonly Action[], decided_at: Date): Promise<void> {
  if (actions.length === 0) return;
  const rows = actions.map((one) => ({ ...one, reason: one.reason && JSON.stringify(one.reason), decided_at }));
  await trx('alert_actions').insert(rows);
}

export async function saveCarriedOut(trx: Trx, actions: readonly Action[]): Promise<void> {
  if (actions.length === 0) return;
  await trx.raw(
    `UPDATE alert_actions a
     SET carried_out = true, outcome = done.outcome, reason = done.reason, send_after = done.send_after,
         task_id = done.task_id
     FROM jsonb_to_recordset(CAST(:actions AS jsonb))
       AS done (id uuid, outcome text, reason jsonb, send_after timestamptz, task_id uuid)
     WHERE a.id = done.id`,
    { actions: JSON.stringify(actions) },
  );
}

/** What the message of an alert is about. */
export type Alert = Pick<Action, 'id' | 'renewal_id' | 'due_date'>;

/** Undefined: this record is of no alert. */
export async function findAlertOf(db: Db, communicationId: string): Promise<Alert | undefined> {
  return db('alert_actions').where({ id: communicationId }).first('id', 'renewal_id', 'due_date');
}

export type AlertMessage = AlertKey & Pick<Action, 'customer_id'>;

/** What those of these records are about that are messages of alerts. */
export const alertsAmong = async (trx: Trx, ids: readonly string[]): Promise<AlertMessage[]> =>
  ids.length === 0
    ? []
    : trx('alert_actions').whereIn('id', ids).select('renewal_id', 'due_date', 'rung', 'customer_id');

/** Messages about these renewals that are not known to be pointless. */
export async function plannedMessagesOf(trx: Trx, renewalIds: readonly string[]): Promise<Action[]> {
  const { rows } = await trx.raw(
    `SELECT ${COLUMNS} FROM alert_actions a
     WHERE a.renewal_id = ANY (CAST(:ids AS uuid[])) AND a.outcome = 'planned' AND a.channel <> 'TASK'`,
    { ids: renewalIds },
  );
  return rows;
}

export async function saveCancelled(trx: Trx, cancelled: readonly { id: string; reason: Failure }[]): Promise<void> {
  if (cancelled.length === 0) return;
  await trx.raw(
    `UPDATE alert_actions a SET outcome = 'cancelled', reason = c.reason
     FROM jsonb_to_recordset(CAST(:cancelled AS jsonb)) AS c (id uuid, reason jsonb) WHERE a.id = c.id`,
    { cancelled: JSON.stringify(cancelled) },
  );
}

/** A message of ours, and how its renewal stands. */
export interface Planned {
  id: string;
  outcome: Decision['outcome'];
  reason: Failure | null;
  alerted_date: string;
  renewal: Pick<Followed, 'status' | 'due_date' | 'reminders'>;
}

/**
 * Which of these records are messages of an alert. Their renewals stay as they are until this transaction ends: who stops
 * messages finds them afterwards, or did so before.
 */
export async function plannedAmong(trx: Trx, communicationIds: readonly string[]): Promise<Planned[]> {
  if (communicationIds.length === 0) return [];
  const ids = [...communicationIds];
  await trx.raw(
    `SELECT FROM followed_renewals f
     WHERE f.renewal_id IN (SELECT a.renewal_id FROM alert_actions a WHERE a.id = ANY (CAST(:ids AS uuid[])))
     ORDER BY f.renewal_id FOR SHARE`,
    { ids },
  );
  const { rows } = await trx.raw(
    `SELECT a.id, a.outcome, a.reason, a.due_date AS alerted_date, f.status, f.due_date, f.reminders
     FROM alert_actions a JOIN followed_renewals f USING (renewal_id) WHERE a.id = ANY (CAST(:ids AS uuid[]))`,
    { ids },
  );
  return rows.map(({ status, due_date, reminders, ...planned }: Planned & Planned['renewal']) => ({
    ...planned,
    renewal: { status, due_date, reminders },
  }));
}
