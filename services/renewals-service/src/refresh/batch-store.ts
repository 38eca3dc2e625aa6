import type { PlainDate } from '@ops/contracts/dates';
import type { Db, Trx } from '@ops/service-kit/database';
import type { ActiveRenewal, Treatment } from './refresh.rules.ts';

/** Where a batch ended in the order of the index. */
export interface Place {
  next_alert_on: PlainDate;
  id: string;
}

/** What a run has to look at and did not set aside. */
const DUE = `
  r.next_alert_on <= CAST(:as_of AS date)
  AND NOT EXISTS (SELECT FROM refresh_set_aside s WHERE s.run_id = :run_id AND s.renewal_id = r.id)`;

/**
 * The next ones in the order of the index over what is to be alerted, going on after the batch before: what that one
 * treated has left the index, but until a vacuum its entries would be walked over again.
 */
export async function pickDue(
  db: Db,
  run: { run_id: string; as_of: PlainDate },
  after: Place | undefined,
  limit: number,
): Promise<Place[]> {
  const { rows } = await db.raw(
    `SELECT r.next_alert_on, r.id FROM renewals r
     WHERE ${DUE} ${after ? 'AND (r.next_alert_on, r.id) > (CAST(:next_alert_on AS date), CAST(:id AS uuid))' : ''}
     ORDER BY r.next_alert_on, r.id LIMIT :limit`,
    { ...run, ...after, limit },
  );
  return rows;
}

export async function countDue(db: Db | Trx, run: { run_id: string; as_of: PlainDate }): Promise<number> {
  const { rows } = await db.raw(`SELECT count(*)::int AS due FROM renewals r WHERE ${DUE}`, { ...run });
  return rows[0].due;
}

export async function isAnyDue(trx: Trx, run: { run_id: string; as_of: PlainDate }): Promise<boolean> {
  const { rows } = await trx.raw(`SELECT EXISTS (SELECT FROM renewals r WHERE ${DUE}) AS any_due`, { ...run });
  return rows[0].any_due;
}

/**
 * Waits for those that staff hold. Locked in the order of ids, as by all who take several at once; whoever takes one
 * after the other may deadlock with it, and one of the two is run again. Read only afterwards and by a statement of its
 * own, which sees what was committed while this one waited: the date may have been moved, and the ledger with it.
 */
export async function lockDue(trx: Trx, as_of: PlainDate, ids: string[]): Promise<ActiveRenewal[]> {
  const locked = await trx.raw(
    `SELECT id FROM renewals WHERE id = ANY (CAST(? AS uuid[])) AND next_alert_on <= CAST(? AS date)
     ORDER BY id FOR NO KEY UPDATE`,
    [ids, as_of],
  );
  const { rows } = await trx.raw(
    `SELECT ${RENEWAL} FROM ${RENEWALS} WHERE r.id = ANY (CAST(? AS uuid[])) ORDER BY r.id`,
    [locked.rows.map(({ id }: { id: string }) => id)],
  );
  return rows;
}

/** Renewals `r` as a refresh reads them. */
export const RENEWAL = `
  r.id, r.customer_id, r.service_type, coalesce(t.label, r.service_type) AS service_label, r.due_date, r.status,
  r.policy_id, r.assigned_agent, r.reminders, r.version,
  ARRAY(SELECT a.rung FROM alerts a WHERE a.renewal_id = r.id AND a.due_date = r.due_date) AS recorded`;
export const RENEWALS = 'renewals r LEFT JOIN service_types t ON t.code = r.service_type';

/** A rung that is in the ledger already, which the lock rules out, fails the batch rather than being told twice. */
export async function recordAlerts(
  trx: Trx,
  run_id: string,
  treatments: readonly Treatment[],
  now: Date,
): Promise<void> {
  const entries = treatments.flatMap(({ renewal, days_until_due, fire, supersede }) => [
    ...supersede.map((rung) => ({ renewal, days_until_due, rung, state: 'SUPERSEDED' })),
    ...(fire ? [{ renewal, days_until_due, rung: fire, state: 'FIRED' }] : []),
  ]);
  await trx.raw(
    `INSERT INTO alerts (renewal_id, due_date, rung, state, days_until_due, run_id, decided_at)
     SELECT d.*, CAST(? AS uuid), CAST(? AS timestamptz)
     FROM unnest(CAST(? AS uuid[]), CAST(? AS date[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS int[])) d`,
    [
      run_id,
      now,
      entries.map(({ renewal }) => renewal.id),
      entries.map(({ renewal }) => renewal.due_date),
      entries.map(({ rung }) => rung),
      entries.map(({ state }) => state),
      entries.map(({ days_until_due }) => days_until_due),
    ],
  );
}

export async function moveOn(trx: Trx, treatments: readonly Treatment[], now: Date): Promise<void> {
  await trx.raw(
    `UPDATE renewals r
     SET next_alert_on = d.next_alert_on,
       status = CASE WHEN d.becomes_overdue THEN 'OVERDUE' ELSE r.status END,
       version = r.version + CAST(d.becomes_overdue AS int),
       updated_at = CASE WHEN d.becomes_overdue THEN CAST(? AS timestamptz) ELSE r.updated_at END
     FROM unnest(CAST(? AS uuid[]), CAST(? AS date[]), CAST(? AS boolean[])) d (id, next_alert_on, becomes_overdue)
     WHERE r.id = d.id`,
    [
      now,
      treatments.map(({ renewal }) => renewal.id),
      treatments.map((one) => one.next_alert_on as string),
      treatments.map((one) => one.becomesOverdue),
    ],
  );
}

export interface NewFlag {
  id: string;
  renewal_id: string;
  customer_id: string;
  due_date: PlainDate;
}

/** One open flag for a renewal: one that is there stays. */
export async function raiseFlags(trx: Trx, flags: readonly NewFlag[], now: Date): Promise<void> {
  if (flags.length === 0) return;
  await trx.raw(
    `INSERT INTO compliance_flags (id, renewal_id, customer_id, due_date, raised_at)
     SELECT d.*, CAST(? AS timestamptz)
     FROM unnest(CAST(? AS uuid[]), CAST(? AS uuid[]), CAST(? AS text[]), CAST(? AS date[])) d
     ON CONFLICT (renewal_id) WHERE cleared_at IS NULL DO NOTHING`,
    [
      now,
      flags.map(({ id }) => id),
      flags.map(({ renewal_id }) => renewal_id),
      flags.map(({ customer_id }) => customer_id),
      flags.map(({ due_date }) => due_date),
    ],
  );
}
