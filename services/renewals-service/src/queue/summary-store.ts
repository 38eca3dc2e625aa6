import type { PlainDate } from '@ops/contracts/dates';
import type { RenewalSummary } from '@ops/contracts/resources/renewal';
import type { OwnersOf } from '@ops/contracts/responsible';
import { type Db, execute, oneRow, type Trx } from '@ops/service-kit/database';
import { lockKeys } from '@ops/service-kit/lock-keys';
import { OWNER } from '../renewals/renewal-columns.ts';
import { isCountedFor, openOwners, ownersIn } from './owner-columns.ts';

const weeksAhead = 26;

/**
 * From what is kept, with what changed since: exact, and no slower with more renewals. `owners`: of these alone, whose weeks are
 * counted, since one agent has few.
 */
export async function summarise(db: Db, today: PlainDate, owners: OwnersOf | undefined): Promise<RenewalSummary> {
  return oneRow<RenewalSummary>(
    db,
    `WITH base AS MATERIALIZED (SELECT as_of, coalesce(as_of, CAST(:today AS date)) AS day FROM refreshed),
     until AS MATERIALIZED (SELECT date_trunc('week', day)::date + 7 * CAST(:weeks AS integer) AS day FROM base)
     SELECT (SELECT as_of FROM base) AS as_of,
       (SELECT coalesce(jsonb_agg(s ORDER BY s.service_type, s.status), '[]') FROM (
          SELECT service_type, status, sum(count)::int AS count
          FROM (SELECT owner, service_type, status, count FROM renewal_counts
                UNION ALL SELECT owner, service_type, status, change FROM renewal_count_changes) c
          WHERE ${owners === undefined ? 'true' : isCountedFor(owners)}
          GROUP BY service_type, status HAVING sum(count) <> 0) s
       ) AS by_service_type,
       (SELECT coalesce(jsonb_agg(w ORDER BY w.week, w.service_type), '[]') FROM (
          SELECT date_trunc('week', due_date)::date AS week, service_type, sum(count)::int AS count
          FROM (${owners === undefined ? DUE : dueOf(owners)}) d
          GROUP BY 1, 2 HAVING sum(count) <> 0) w
       ) AS by_week`,
    { today, weeks: weeksAhead, ...ownersIn(owners) },
  );
}

const IS_SHOWN = 'due_date >= (SELECT day FROM base) AND due_date < (SELECT day FROM until)';

const DUE = `
  SELECT due_date, service_type, count FROM open_renewal_counts WHERE ${IS_SHOWN}
  UNION ALL SELECT due_date, service_type, change FROM renewal_count_changes WHERE ${IS_SHOWN}`;

/** Counted for each owner by itself, since joined all that is due would be read for whom hardly any of it is. */
const dueOf = (owners: OwnersOf): string => `
  SELECT theirs.* FROM (${openOwners(owners)}) o
  CROSS JOIN LATERAL (
    SELECT r.due_date, r.service_type, count(*) AS count
    FROM renewals r WHERE ${OWNER} = o.owner AND r.closed_at IS NULL AND ${IS_SHOWN}
    GROUP BY r.due_date, r.service_type) theirs`;

/** Adds up what changed. Whoever reads meanwhile sees all of it before or all of it after. One at a time. */
export async function addUpCounts(trx: Trx): Promise<void> {
  await lockKeys(trx, ['counts of renewals']);
  await execute(
    trx,
    `WITH changed AS (DELETE FROM renewal_count_changes RETURNING owner, service_type, status, due_date, change),
     open AS (
       INSERT INTO open_renewal_counts AS kept (due_date, service_type, count)
       SELECT due_date, service_type, sum(change) FROM changed WHERE due_date IS NOT NULL
       GROUP BY due_date, service_type HAVING sum(change) <> 0
       ON CONFLICT (due_date, service_type) DO UPDATE SET count = kept.count + excluded.count)
     INSERT INTO renewal_counts AS kept (owner, service_type, status, count)
     SELECT owner, service_type, status, sum(change) FROM changed
     GROUP BY owner, service_type, status HAVING sum(change) <> 0
     ON CONFLICT (owner, service_type, status) DO UPDATE SET count = kept.count + excluded.count`,
    {},
  );
  // Of days gone by nothing is left after a while.
  await execute(trx, 'DELETE FROM open_renewal_counts WHERE count = 0', {});
  await execute(trx, 'DELETE FROM renewal_counts WHERE count = 0', {});
}
