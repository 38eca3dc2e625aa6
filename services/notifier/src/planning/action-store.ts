import type { Failure } from '@ops/contracts/resources/communication';
import { type Db, execute, rows, type Trx } from '@ops/service-kit/database';
import type { Followed } from '../followed/followed.rules.ts';
import { type Action, type AlertKey, byDate, type KeptUp } from './alert-actions.rules.ts';
import type { Decision } from './planning.rules.ts';

const COLUMNS = `a.id, a.renewal_id, a.due_date, a.rung, a.step, a.does, a.channel, a.customer_id, a.service_label, a.service_labels,
  a.outcome, a.instead_of, a.reason, a.priority, a.carried_out, a.send_after, a.send_after_reason, a.task_id, a.heard, a.given_up_at,
  a.number, a.together, a.letter_id, a.trace`;

/** Actions `a` whose record is one of `ids`. */
const OF_RECORDS = `(a.letter_id = ANY (CAST(:ids AS uuid[])) OR (a.id = ANY (CAST(:ids AS uuid[])) AND a.letter_id IS NULL))`;

/**
 * Of these alerts, and of all others about the same dates. Whoever decides about them has locked the renewals' rows, so
 * nobody else does.
 */
export async function actionsAbout(db: Db, alerts: readonly Omit<AlertKey, 'rung' | 'step'>[]): Promise<KeptUp> {
  const actions = await rows<Action>(
    db,
    `SELECT ${COLUMNS}
     FROM (SELECT DISTINCT * FROM jsonb_to_recordset(CAST(:alerts AS jsonb)) AS t (renewal_id uuid, due_date date)) wanted
     CROSS JOIN LATERAL (
       SELECT * FROM alert_actions about
       WHERE about.renewal_id = wanted.renewal_id AND about.due_date = wanted.due_date OFFSET 0) a
     ORDER BY a.decided_at, a.id`,
    { alerts: JSON.stringify(alerts.map(({ renewal_id, due_date }) => ({ renewal_id, due_date }))) },
  );
  return byDate(actions);
}

export async function insertActions(trx: Trx, actions: readonly Action[], decided_at: Date): Promise<void> {
  if (actions.length === 0) return;
  const json = (value: object | null) => value && JSON.stringify(value);
  const all = actions.map((one) => ({
    ...one,
    does: json(one.does),
    service_labels: json(one.service_labels),
    reason: json(one.reason),
    send_after_reason: json(one.send_after_reason),
    heard: json(one.heard),
    trace: json(one.trace),
    decided_at,
  }));
  await trx('alert_actions').insert(all);
}

export async function saveCarriedOut(trx: Trx, actions: readonly Action[]): Promise<void> {
  if (actions.length === 0) return;
  await execute(
    trx,
    `UPDATE alert_actions a
     SET carried_out = true, outcome = done.outcome, reason = done.reason, send_after = done.send_after,
         send_after_reason = done.send_after_reason, task_id = done.task_id, priority = done.priority,
         letter_id = done.letter_id
     FROM jsonb_to_recordset(CAST(:actions AS jsonb))
       AS done (id uuid, outcome text, reason jsonb, send_after timestamptz, send_after_reason jsonb, task_id uuid,
                priority text, letter_id uuid)
     WHERE a.id = done.id`,
    { actions: JSON.stringify(actions) },
  );
}

/** What a message of alerts is about; of a letter there are several. */
export type AlertMessage = AlertKey & Pick<Action, 'id' | 'letter_id' | 'customer_id'>;

/** What those of these records are about that are messages of alerts. */
export const alertsAmong = async (db: Db, ids: readonly string[]): Promise<AlertMessage[]> =>
  ids.length === 0
    ? []
    : rows<AlertMessage>(
        db,
        `SELECT a.id, a.letter_id, a.renewal_id, a.due_date, a.rung, a.step, a.customer_id
         FROM alert_actions a WHERE ${OF_RECORDS}`,
        { ids },
      );

/** What was heard of messages, and when to look at their alerts again. */
export async function saveHeard(trx: Trx, heard: readonly (Action & { look_again_at: Date | null })[]): Promise<void> {
  if (heard.length === 0) return;
  await execute(
    trx,
    `UPDATE alert_actions a SET heard = h.heard, look_again_at = h.look_again_at
     FROM jsonb_to_recordset(CAST(:heard AS jsonb)) AS h (id uuid, heard jsonb, look_again_at timestamptz)
     WHERE a.id = h.id`,
    { heard: JSON.stringify(heard.map(({ id, heard, look_again_at }) => ({ id, heard, look_again_at }))) },
  );
}

export const saveGivenUp = (trx: Trx, actions: readonly Action[], given_up_at: Date): Promise<void> =>
  update(trx, actions, { given_up_at });

export const markToLookAt = (trx: Trx, actions: readonly Action[], look_again_at: Date): Promise<void> =>
  update(trx, actions, { look_again_at });

async function update(trx: Trx, actions: readonly Action[], change: object): Promise<void> {
  const ids = actions.map(({ id }) => id);
  if (ids.length > 0) await trx('alert_actions').whereIn('id', ids).update(change);
}

/** Renewals with an alert that is to be looked at, of so many customers: whose wait longest first. */
export async function renewalsToLookAt(db: Db, now: Date, customers: number) {
  return rows<Pick<Action, 'renewal_id' | 'customer_id'>>(
    db,
    `WITH due AS (
       SELECT a.renewal_id, min(a.customer_id) AS customer_id, min(a.look_again_at) AS since
       FROM alert_actions a WHERE a.look_again_at <= :now GROUP BY a.renewal_id
     ), first AS (
       SELECT customer_id, min(since) AS since FROM due GROUP BY customer_id ORDER BY 2, 1 LIMIT :customers
     )
     SELECT due.renewal_id, due.customer_id FROM due JOIN first USING (customer_id)
     ORDER BY first.since, due.customer_id, due.since, due.renewal_id`,
    { now, customers },
  );
}

/** Null: they have been looked at. */
export async function saveLooked(
  trx: Trx,
  renewalIds: readonly string[],
  now: Date,
  look_again_at: Date | null,
): Promise<void> {
  await trx('alert_actions')
    .whereIn('renewal_id', [...renewalIds])
    .where('look_again_at', '<=', now)
    .update({ look_again_at });
}

/** Messages about these renewals that are not known to be pointless. */
export async function plannedMessagesOf(trx: Trx, renewalIds: readonly string[]): Promise<Action[]> {
  return rows<Action>(
    trx,
    `SELECT ${COLUMNS} FROM alert_actions a
     WHERE a.renewal_id = ANY (CAST(:ids AS uuid[])) AND a.outcome = 'planned' AND a.channel <> 'TASK'`,
    { ids: renewalIds },
  );
}

export async function saveCancelled(trx: Trx, cancelled: readonly { id: string; reason: Failure }[]): Promise<void> {
  if (cancelled.length === 0) return;
  await execute(
    trx,
    `UPDATE alert_actions a SET outcome = 'cancelled', reason = c.reason
     FROM jsonb_to_recordset(CAST(:cancelled AS jsonb)) AS c (id uuid, reason jsonb) WHERE a.id = c.id`,
    { cancelled: JSON.stringify(cancelled) },
  );
}

/** A message of ours, and how its renewal stands. */
export interface Planned {
  communication_id: string;
  outcome: Decision['outcome'];
  reason: Failure | null;
  alerted_date: string;
  customer_id: string;
  renewal: Pick<Followed, 'status' | 'due_date' | 'reminders' | 'hold'>;
}

/**
 * Which of these records are messages of an alert. Their renewals stay as they are until this transaction ends: who stops
 * messages finds them afterwards, or did so before.
 */
export async function plannedAmong(trx: Trx, communicationIds: readonly string[]): Promise<Planned[]> {
  if (communicationIds.length === 0) return [];
  await execute(
    trx,
    `SELECT FROM followed_renewals f
     WHERE f.renewal_id IN (SELECT a.renewal_id FROM alert_actions a WHERE ${OF_RECORDS})
     ORDER BY f.renewal_id FOR SHARE`,
    { ids: communicationIds },
  );
  const planned = await rows<Omit<Planned, 'renewal'> & Planned['renewal']>(
    trx,
    `SELECT coalesce(a.letter_id, a.id) AS communication_id, a.outcome, a.reason, a.due_date AS alerted_date,
            a.customer_id, f.status, f.due_date, f.reminders, f.hold
     FROM alert_actions a JOIN followed_renewals f USING (renewal_id) WHERE ${OF_RECORDS}`,
    { ids: communicationIds },
  );
  return planned.map(({ status, due_date, reminders, hold, ...message }) => ({
    ...message,
    renewal: { status, due_date, reminders, hold },
  }));
}
