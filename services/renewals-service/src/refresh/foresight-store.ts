import type { PlainDate } from '@ops/contracts/dates';
import { rungs } from '@ops/contracts/resources/renewal';
import { type Db, oneRow, rows } from '@ops/service-kit/database';
import { RENEWAL, RENEWALS } from './batch-store.ts';
import type { WatchedRenewal } from './foresight.rules.ts';

/** How far ahead a dry run says why nothing happens. */
const foreseenDays = 120;

/** First those that a refresh of that day looks at. */
const WAITS = `CASE WHEN r.next_alert_on <= CAST(:as_of AS date) THEN 0 ELSE 1 END`;

export type ForeseenPlace = [waits: number, due_date: string, id: string];

export interface ForeseenRow extends WatchedRenewal {
  waits: number;
}

/** Active ones due until then or past due, and closed ones that would be due by now. */
export async function listForeseen(
  db: Db,
  as_of: PlainDate,
  after: ForeseenPlace | undefined,
  limit: number,
): Promise<ForeseenRow[]> {
  const further = `(${WAITS}, r.due_date, r.id) > (CAST(:waits AS int), CAST(:due_date AS date), CAST(:id AS uuid))`;
  return rows<ForeseenRow>(
    db,
    `SELECT ${RENEWAL}, r.next_alert_on, ${WAITS} AS waits,
       ARRAY(SELECT a.rung FROM alerts a
             WHERE a.renewal_id = r.id AND a.due_date = r.due_date AND a.state = 'FIRED' AND a.step = '0') AS fired
     FROM ${RENEWALS}
     WHERE r.due_date <= CAST(:as_of AS date) + ${foreseenDays}
       AND (r.closed_at IS NULL OR r.due_date >= CAST(:as_of AS date))
       ${after ? `AND ${further}` : ''}
     ORDER BY waits, r.due_date, r.id LIMIT :limit`,
    { as_of, limit, ...(after && { waits: after[0], due_date: after[1], id: after[2] }) },
  );
}

const MOST_URGENT = `CASE ${rungs
  .toReversed()
  .map((rung) => `WHEN days ${rung === 'OVERDUE' ? '< 0' : `<= ${rung}`} THEN '${rung}'`)
  .join(' ')} END`;

/** Of those looked at: whose most urgent rung is not in the ledger. */
export async function countWouldFire(db: Db, as_of: PlainDate): Promise<number> {
  const { would_fire } = await oneRow<{ would_fire: number }>(
    db,
    `SELECT count(*)::int AS would_fire
     FROM (SELECT id, due_date, silenced, due_date - CAST(:as_of AS date) AS days FROM renewals
           WHERE next_alert_on <= CAST(:as_of AS date)) r
     WHERE ${MOST_URGENT} IS NOT NULL
       AND NOT EXISTS (SELECT FROM alerts a
                       WHERE a.renewal_id = r.id AND a.due_date = r.due_date AND a.rung = ${MOST_URGENT}
                         AND NOT (r.silenced AND a.run_id IS NULL))`,
    { as_of },
  );
  return would_fire;
}
