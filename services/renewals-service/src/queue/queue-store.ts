import type { PlainDate } from '@ops/contracts/dates';
import type { RenewalStatus, RenewalSummary, Rung } from '@ops/contracts/resources/renewal';
import type { Db } from '@ops/service-kit/database';
import type { StoredRenewal } from '../renewals/renewal.rules.ts';
import { COLUMNS } from '../renewals/renewal-columns.ts';

interface QueuePosition {
  dueDate: PlainDate;
  id: string;
}

export interface QueueListing {
  window: number | undefined;
  dueFrom: PlainDate | undefined;
  /** The last day. */
  dueTo: PlainDate | undefined;
  serviceType: string | undefined;
  status: RenewalStatus | undefined;
  /** Empty: those of nobody. */
  agent: string | undefined;
  customerId: string | undefined;
  /** Those it alerted. */
  run: string | undefined;
  /** Of those, the ones it alerted at this rung. */
  rung: Rung | undefined;
  today: PlainDate;
  after: QueuePosition | undefined;
  limit: number;
}

export interface QueuePage {
  as_of: PlainDate | null;
  renewals: StoredRenewal[];
}

/**
 * In the order of the due date, which is the order of urgency with what is overdue before all. Read from the index that
 * fits what was asked for up to the limit: `renewals_most_urgent`, `renewals_of_type`, `renewals_of_agent`,
 * `renewals_by_status` or `renewals_of_customer`. Conditions that were not asked for are left out, so that the plan may
 * use one made for those that were. The window's end is known before the first row is read, so nothing beyond it is;
 * before the first refresh it is counted from today, and each row by the day it was made. What a run alerted is found by
 * `alerts_of_run`, all of it, and put in order: a night alerts some thousands.
 */
const conditionsOf = ({
  window,
  dueFrom,
  dueTo,
  serviceType,
  status,
  agent,
  customerId,
  run,
  rung,
  after,
}: QueueListing): string[] =>
  [
    status === undefined && customerId === undefined && run === undefined && 'r.closed_at IS NULL',
    status !== undefined && 'r.status = :status',
    // Says of a status what the partial indexes are made for.
    status !== undefined && !isTerminal(status) && 'r.closed_at IS NULL',
    serviceType !== undefined && 'r.service_type = :service_type',
    agent !== undefined && `coalesce(r.assigned_agent, '') = :agent`,
    customerId !== undefined && 'r.customer_id = :customer_id',
    run !== undefined &&
      `r.id IN (SELECT a.renewal_id FROM alerts a WHERE a.run_id = CAST(:run AS uuid) AND a.state = 'FIRED'
                ${rung === undefined ? '' : 'AND a.rung = :rung'})`,
    dueFrom !== undefined && 'r.due_date >= CAST(:due_from AS date)',
    dueTo !== undefined && 'r.due_date <= CAST(:due_to AS date)',
    window !== undefined &&
      `r.due_date <= coalesce((SELECT as_of FROM refreshed), CAST(:today AS date)) + CAST(:window AS integer)
       AND coalesce(r.days_until_due, 0) <= CAST(:window AS integer)`,
    after && '(r.due_date, r.id) > (CAST(:after_due AS date), CAST(:after_id AS uuid))',
  ].filter((condition) => typeof condition === 'string');

const isTerminal = (status: RenewalStatus) => status === 'COMPLETED' || status === 'CANCELLED';

/** One statement, so that `as_of` and what is counted from it are of one moment. */
export async function listQueue(db: Db, listing: QueueListing): Promise<QueuePage> {
  const { rows } = await db.raw(
    `SELECT f.as_of AS page_as_of, page.*
     FROM (SELECT (SELECT as_of FROM refreshed) AS as_of) f LEFT JOIN LATERAL (
       SELECT ${COLUMNS} FROM renewals_seen r WHERE ${conditionsOf(listing).join(' AND ') || 'true'}
       ORDER BY r.due_date, r.id LIMIT :limit
     ) page ON true
     ORDER BY page.due_date, page.id`,
    bindingsOf(listing),
  );
  return { as_of: rows[0].page_as_of, renewals: rows.flatMap(renewalOf) };
}

const bindingsOf = (listing: QueueListing) => {
  const { window, dueFrom, dueTo, serviceType, status, agent, customerId, run, rung, today, after, limit } = listing;
  return {
    window: window ?? null,
    due_from: dueFrom ?? null,
    due_to: dueTo ?? null,
    service_type: serviceType ?? null,
    status: status ?? null,
    agent: agent ?? null,
    customer_id: customerId ?? null,
    run: run ?? null,
    rung: rung ?? null,
    today,
    limit,
    after_due: after?.dueDate ?? null,
    after_id: after?.id ?? null,
  };
};

/** The one row of an empty page carries the date alone. */
const renewalOf = ({ page_as_of: _, ...renewal }: { page_as_of: unknown; id: string | null }): StoredRenewal[] =>
  renewal.id === null ? [] : [renewal as unknown as StoredRenewal];

const weeksAhead = 26;

/** `agent`: of that one's alone; empty: of nobody's. */
export async function summarise(db: Db, today: PlainDate, agent: string | undefined): Promise<RenewalSummary> {
  const isCounted = agent === undefined ? 'true' : `coalesce(assigned_agent, '') = :agent`;
  const { rows } = await db.raw(
    `WITH base AS MATERIALIZED (SELECT as_of, coalesce(as_of, CAST(:today AS date)) AS day FROM refreshed)
     SELECT (SELECT as_of FROM base) AS as_of,
       (SELECT coalesce(jsonb_agg(c ORDER BY c.service_type, c.status), '[]') FROM (
          SELECT service_type, status, count(*)::int AS count FROM renewals WHERE ${isCounted}
          GROUP BY service_type, status) c
       ) AS by_service_type,
       (SELECT coalesce(jsonb_agg(w ORDER BY w.week, w.service_type), '[]') FROM (
          SELECT date_trunc('week', due_date)::date AS week, service_type, count(*)::int AS count FROM renewals
          WHERE ${isCounted} AND closed_at IS NULL AND due_date >= (SELECT day FROM base)
            AND due_date < (SELECT date_trunc('week', day)::date + 7 * CAST(:weeks AS integer) FROM base)
          GROUP BY 1, 2) w
       ) AS by_week`,
    { today, weeks: weeksAhead, agent: agent ?? null },
  );
  return rows[0];
}
