import type { PlainDate } from '@ops/contracts/dates';
import type { Rung } from '@ops/contracts/resources/renewal';
import { type Db, execute, oneRow, rows, type Trx } from '@ops/service-kit/database';

/** One message, or task, of a rung. */
export interface AlertKey {
  renewal_id: string;
  due_date: PlainDate;
  rung: Rung;
  step: string;
}

/** Rungs decided on without a refresh: nobody is alerted of them. */
export interface PassedOver {
  renewal_id: string;
  due_date: PlainDate;
  rung: Rung;
  days_until_due: number;
}

/** What was decided on for this date stays as it was. */
export async function passOver(trx: Trx, passed: readonly PassedOver[], now: Date): Promise<void> {
  if (passed.length === 0) return;
  await execute(
    trx,
    `INSERT INTO alerts (renewal_id, due_date, rung, state, days_until_due, decided_at)
     SELECT p.renewal_id, p.due_date, p.rung, 'SUPERSEDED', p.days_until_due, :now
     FROM json_to_recordset(CAST(:passed AS json)) AS p (renewal_id uuid, due_date date, rung text, days_until_due integer)
     ON CONFLICT DO NOTHING`,
    { passed: JSON.stringify(passed), now },
  );
}

/** What the ledger holds for that date of the renewal. */
export async function recordedRungs(trx: Trx, renewalId: string, dueDate: PlainDate): Promise<Rung[]> {
  const rows = await trx('alerts')
    .where({ renewal_id: renewalId, due_date: dueDate, step: '0' })
    .select<Pick<PassedOver, 'rung'>[]>('rung');
  return rows.map(({ rung }) => rung);
}

/** Of each of these renewals the alert that fired last, be it about the date it has now or not. */
export async function lastFired(trx: Trx, renewalIds: readonly string[]): Promise<AlertKey[]> {
  return rows<AlertKey>(
    trx,
    `SELECT DISTINCT ON (a.renewal_id) a.renewal_id, a.due_date, a.rung, a.step
     FROM alerts a WHERE a.renewal_id = ANY (CAST(:ids AS uuid[])) AND a.state = 'FIRED'
     ORDER BY a.renewal_id, a.decided_at DESC`,
    { ids: renewalIds },
  );
}

/** Whether a hold kept something back of the alert that fired last about that date. */
export async function isKeptBack(trx: Trx, renewalId: string, dueDate: PlainDate): Promise<boolean> {
  const { kept_back } = await oneRow<{ kept_back: boolean }>(
    trx,
    `SELECT EXISTS (
       SELECT FROM (SELECT * FROM alerts
                    WHERE renewal_id = :renewalId AND due_date = CAST(:dueDate AS date) AND state = 'FIRED'
                    ORDER BY decided_at DESC LIMIT 1) last
       JOIN alert_outcomes o USING (renewal_id, due_date, rung, step)
       WHERE o.reason ->> 'code' = 'held') AS kept_back`,
    { renewalId, dueDate },
  );
  return kept_back;
}

export type Recorded = Pick<PassedOver, 'renewal_id' | 'due_date' | 'rung'>;

/** Of these renewals what the ledger holds, for whatever date, but for what is to be decided on again. */
export const recordedOf = (db: Db, ids: readonly string[]): Promise<Recorded[]> =>
  rows<Recorded>(
    db,
    `SELECT a.renewal_id, a.due_date, a.rung FROM alerts a JOIN renewals r ON r.id = a.renewal_id
     WHERE a.renewal_id = ANY (CAST(:ids AS uuid[]))
       AND NOT (r.silenced AND a.due_date = r.due_date AND a.run_id IS NULL)`,
    { ids },
  );

export async function firedSince(trx: Trx, renewalId: string, since: string): Promise<Rung[]> {
  return trx('alerts')
    .where({ renewal_id: renewalId, state: 'FIRED' })
    .andWhere('decided_at', '>=', since)
    .pluck<Rung[]>('rung');
}

/** What an earlier version passed over with nobody told is not decided on any more, for once. */
export async function takeUpAgain(trx: Trx, silenced: readonly string[]): Promise<void> {
  if (silenced.length === 0) return;
  await execute(
    trx,
    `WITH taken AS (
       UPDATE renewals SET silenced = false WHERE id = ANY (CAST(:silenced AS uuid[])) AND silenced RETURNING id, due_date
     )
     DELETE FROM alerts a USING taken t WHERE a.renewal_id = t.id AND a.due_date = t.due_date AND a.run_id IS NULL`,
    { silenced },
  );
}
