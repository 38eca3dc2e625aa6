import type { PlainDate } from '@ops/contracts/dates';
import { type Db, execute, oneRow, rows, type Trx } from '@ops/service-kit/database';
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
  return rows<Place>(
    db,
    `SELECT r.next_alert_on, r.id FROM renewals r
     WHERE ${DUE} ${after ? 'AND (r.next_alert_on, r.id) > (CAST(:next_alert_on AS date), CAST(:id AS uuid))' : ''}
     ORDER BY r.next_alert_on, r.id LIMIT :limit`,
    { ...run, ...after, limit },
  );
}

/** What an earlier version passed over with nobody told. Still running after the migration, it may have moved these on again. */
export async function lookAtSilenced(trx: Trx, as_of: PlainDate): Promise<void> {
  await execute(
    trx,
    `UPDATE renewals SET next_alert_on = CAST(:as_of AS date)
     WHERE silenced AND closed_at IS NULL AND (next_alert_on <= CAST(:as_of AS date)) IS NOT TRUE`,
    { as_of },
  );
}

export async function countDue(db: Db | Trx, run: { run_id: string; as_of: PlainDate }): Promise<number> {
  const { due } = await oneRow<{ due: number }>(db, `SELECT count(*)::int AS due FROM renewals r WHERE ${DUE}`, run);
  return due;
}

export async function isAnyDue(trx: Trx, run: { run_id: string; as_of: PlainDate }): Promise<boolean> {
  const { any_due } = await oneRow<{ any_due: boolean }>(
    trx,
    `SELECT EXISTS (SELECT FROM renewals r WHERE ${DUE}) AS any_due`,
    run,
  );
  return any_due;
}

/**
 * Waits for those that staff hold. Locked in the order of ids, as by all who take several at once; whoever takes one
 * after the other may deadlock with it, and one of the two is run again. Read only afterwards and by a statement of its
 * own, which sees what was committed while this one waited: the date may have been moved, and the ledger with it.
 */
export async function lockDue(trx: Trx, as_of: PlainDate, ids: string[]): Promise<ActiveRenewal[]> {
  const locked = await rows<{ id: string }>(
    trx,
    `SELECT id FROM renewals WHERE id = ANY (CAST(? AS uuid[])) AND next_alert_on <= CAST(? AS date)
     ORDER BY id FOR NO KEY UPDATE`,
    [ids, as_of],
  );
  return rows<ActiveRenewal>(
    trx,
    `SELECT ${RENEWAL} FROM ${RENEWALS} WHERE r.id = ANY (CAST(? AS uuid[])) ORDER BY r.id`,
    [locked.map(({ id }) => id)],
  );
}

/** Renewals `r` as a refresh reads them. */
export const RENEWAL = `
  r.id, r.customer_id, r.written_under, r.service_type, coalesce(t.label, r.service_type) AS service_label,
  coalesce(t.labels, '{}') AS service_labels, r.due_date, r.status,
  r.policy_id, coalesce(r.policy_id, r.source_id) AS number, r.assigned_agent, r.reminders, r.version, r.silent_through, r.silenced,
  utc_text(r.started_at) AS started_at, r.start_released, r.acknowledged_until, r.answered_until, r.withheld,
  r.known_after_alert, r.sequence,
  CASE WHEN r.known_after_alert
       THEN ARRAY(SELECT a.rung FROM alerts a
                  WHERE a.renewal_id = r.id AND a.due_date = r.due_date AND a.step = 'customer_known')
       ELSE '{}' END AS sent_once_known,
  CASE WHEN r.withheld
       THEN ARRAY(SELECT a.rung FROM alerts a
                  WHERE a.renewal_id = r.id AND a.due_date = r.due_date AND starts_with(a.step, 'after_hold'))
       ELSE '{}' END AS sent_after_hold,
  ARRAY(SELECT a.rung FROM alerts a
        WHERE a.renewal_id = r.id AND a.due_date = r.due_date AND a.step = '0'
          AND NOT (r.silenced AND a.run_id IS NULL)) AS recorded`;
export const RENEWALS = 'renewals r LEFT JOIN service_types t ON t.code = r.service_type';

/** A rung that is in the ledger already, which the lock rules out, fails the batch rather than being told twice. */
export async function recordAlerts(
  trx: Trx,
  run_id: string,
  treatments: readonly Treatment[],
  now: Date,
): Promise<void> {
  const entries = treatments.flatMap(entriesOf);
  await execute(
    trx,
    `INSERT INTO alerts (renewal_id, due_date, rung, step, state, days_until_due, because, run_id, decided_at)
     SELECT d.*, CAST(? AS uuid), CAST(? AS timestamptz)
     FROM unnest(CAST(? AS uuid[]), CAST(? AS date[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]),
                 CAST(? AS int[]), CAST(? AS text[])) d`,
    [
      run_id,
      now,
      entries.map(({ id }) => id),
      entries.map(({ due_date }) => due_date),
      entries.map(({ rung }) => rung),
      entries.map(({ step }) => step),
      entries.map(({ state }) => state),
      entries.map(({ days_until_due }) => days_until_due),
      entries.map(({ because }) => because),
    ],
  );
}

/** Steps that are passed over may be about the date before. */
function entriesOf({ renewal, days_until_due, fire, supersede, outreach, passedOver }: Treatment) {
  const { id, due_date } = renewal;
  const decided = { id, due_date, days_until_due, step: '0', because: null };
  return [
    ...supersede.map((rung) => ({ ...decided, rung, state: 'SUPERSEDED' })),
    ...passedOver.map((step) => ({ ...decided, ...step, state: 'SUPERSEDED' })),
    ...(fire ? [{ ...decided, rung: fire, state: 'FIRED' }] : []),
    ...(outreach ? [{ ...decided, rung: outreach.rung, step: outreach.step, state: 'FIRED' }] : []),
  ];
}

export async function moveOn(trx: Trx, treatments: readonly Treatment[], now: Date): Promise<void> {
  await execute(
    trx,
    `UPDATE renewals r
     SET next_alert_on = d.next_alert_on,
       withheld = d.withheld,
       known_after_alert = d.known_after_alert,
       sequence = CAST(d.sequence AS jsonb),
       status = CASE WHEN d.becomes_overdue THEN 'OVERDUE' ELSE r.status END,
       version = r.version + CAST(d.becomes_overdue AS int),
       updated_at = CASE WHEN d.becomes_overdue THEN CAST(? AS timestamptz) ELSE r.updated_at END
     FROM unnest(CAST(? AS uuid[]), CAST(? AS date[]), CAST(? AS boolean[]), CAST(? AS boolean[]), CAST(? AS boolean[]),
                 CAST(? AS text[]))
       d (id, next_alert_on, becomes_overdue, withheld, known_after_alert, sequence)
     WHERE r.id = d.id`,
    [
      now,
      treatments.map(({ renewal }) => renewal.id),
      treatments.map((one) => one.next_alert_on),
      treatments.map((one) => one.becomesOverdue),
      treatments.map((one) => one.withheld),
      treatments.map((one) => one.known_after_alert),
      treatments.map(({ sequence }) => sequence && JSON.stringify(sequence)),
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
  await execute(
    trx,
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
