import type { EventData } from '@ops/contracts/events';
import { type Db, execute, rows, type Trx } from '@ops/service-kit/database';
import type { AlertKey } from './alert-actions.rules.ts';

/** Messages of one customer that are told together. */
export interface Group {
  customer_id: string;
  together: string;
}

export interface Waiting extends Group {
  messages: number;
}

const WAITING = `a.together IS NOT NULL AND NOT a.carried_out AND a.channel <> 'TASK'`;

/** Alerts of which it is decided who is written to. They are of renewals that are locked. */
export async function noteDecided(
  trx: Trx,
  alerts: readonly (AlertKey & { run_id: string | null })[],
  decided_at: Date,
): Promise<void> {
  const ofRuns = alerts
    .filter(({ run_id }) => run_id !== null)
    .map(({ run_id, renewal_id, due_date, rung, step }) => ({ run_id, renewal_id, due_date, rung, step, decided_at }));
  if (ofRuns.length > 0) await trx('run_alerts').insert(ofRuns).onConflict().ignore();
}

export async function noteFinished(
  trx: Trx,
  runs: readonly Pick<EventData<'refresh.finished'>, 'run_id' | 'alerts'>[],
  heard_at: Date,
): Promise<void> {
  const rows = runs.map(({ run_id, alerts }) => ({ run_id, alerts, heard_at }));
  if (rows.length > 0) await trx('finished_runs').insert(rows).onConflict().ignore();
}

/** What was decided of runs long ago says nothing more. */
export async function forgetRuns(trx: Trx, before: Date): Promise<void> {
  await trx('run_alerts').where('decided_at', '<', before).delete();
  await trx('finished_runs').where('heard_at', '<', before).delete();
}

/**
 * Whose letters are to be written: all that was fired together was decided on, or nothing more of it was for so long. What
 * takes the place of a letter waits for nothing. Which runs these are is made out once: Postgres, which takes hardly any to
 * wait, would do so for each that does.
 */
export async function groupsToWrite(db: Db, now: Date, patienceMs: number, limit: number): Promise<Waiting[]> {
  return rows<Waiting>(
    db,
    `WITH fired AS MATERIALIZED (
       SELECT DISTINCT a.together AS run_id FROM alert_actions a WHERE ${WAITING}
     ), ready AS MATERIALIZED (
       SELECT fired.run_id FROM fired
       CROSS JOIN LATERAL (SELECT count(*) AS alerts, max(r.decided_at) AS last FROM run_alerts r
                           WHERE r.run_id = fired.run_id) decided
       LEFT JOIN finished_runs f ON f.run_id = fired.run_id
       WHERE decided.alerts = 0 OR decided.alerts >= f.alerts OR decided.last <= CAST(:patient_until AS timestamptz)
     )
     SELECT theirs.customer_id, theirs.together, CAST(count(*) AS int) AS messages
     FROM ready CROSS JOIN LATERAL (
       SELECT a.customer_id, a.together, a.decided_at FROM alert_actions a
       WHERE a.together = ready.run_id AND ${WAITING} AND coalesce(a.written_from <= CAST(:now AS timestamptz), true)
       OFFSET 0) theirs
     GROUP BY theirs.customer_id, theirs.together ORDER BY min(theirs.decided_at), theirs.customer_id LIMIT :limit`,
    { now, patient_until: new Date(now.getTime() - patienceMs), limit },
  );
}

/** What letters would be about. */
export async function datesOf(
  trx: Trx,
  groups: readonly Group[],
): Promise<Pick<AlertKey, 'renewal_id' | 'due_date'>[]> {
  return rows<Pick<AlertKey, 'renewal_id' | 'due_date'>>(
    trx,
    `SELECT DISTINCT theirs.renewal_id, theirs.due_date
     FROM jsonb_to_recordset(CAST(:groups AS jsonb)) AS g (customer_id text, together uuid)
     CROSS JOIN LATERAL (
       SELECT a.renewal_id, a.due_date FROM alert_actions a
       WHERE a.together = g.together AND a.customer_id = g.customer_id AND ${WAITING} OFFSET 0) theirs`,
    { groups: JSON.stringify(groups) },
  );
}

export async function dropActions(trx: Trx, actions: readonly { id: string }[]): Promise<void> {
  const ids = actions.map(({ id }) => id);
  if (ids.length > 0) await trx('alert_actions').whereIn('id', ids).delete();
}

/** They are written anew, together with what else was in their letter. */
export async function takeOut(trx: Trx, actions: readonly { id: string; letter_id: string | null }[]): Promise<void> {
  if (actions.length === 0) return;
  await execute(
    trx,
    `UPDATE alert_actions SET together = letter_id, letter_id = NULL, carried_out = false, send_after = NULL,
            send_after_reason = NULL
     WHERE id = ANY (CAST(:ids AS uuid[]))`,
    { ids: actions.map(({ id }) => id) },
  );
}

export async function putOffWriting(trx: Trx, { customer_id, together }: Group, written_from: Date): Promise<void> {
  await execute(
    trx,
    `UPDATE alert_actions a SET written_from = :written_from
     WHERE a.together = :together AND a.customer_id = :customer_id AND ${WAITING}`,
    { customer_id, together, written_from },
  );
}
