import type { PlainDate } from '@ops/contracts/dates';
import type { NextRenewal } from '@ops/contracts/internal-routes';
import type { RenewalStatus, RenewalSummary, Rung } from '@ops/contracts/resources/renewal';
import type { Owners, OwnersOf } from '@ops/contracts/responsible';
import { type Db, oneRow, rows } from '@ops/service-kit/database';
import { atRisk as atRiskIn } from '../at-risk/at-risk-columns.ts';
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
  owners: OwnersOf | undefined;
  customerId: string | undefined;
  /** Those it alerted. */
  run: string | undefined;
  /** Of those, the ones it alerted at this rung. */
  rung: Rung | undefined;
  /** Part of the number of a policy or permit. */
  number: string | undefined;
  /** Those that may be missed. */
  atRisk: boolean;
  now: Date;
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
 * fits what was asked for up to the limit: `renewals_most_urgent`, `renewals_of_type`, `renewals_of_owner`,
 * `renewals_by_status` or `renewals_of_customer`. Conditions that were not asked for are left out, so that the plan may
 * use one made for those that were. The window's end is known before the first row is read, so nothing beyond it is;
 * before the first refresh it is counted from today, and each row by the day it was made. What a run alerted is found by
 * `alerts_of_run`, all of it, and put in order: a night alerts some thousands. What is at risk is looked for among what is
 * due within a month.
 */
const conditionsOf = ({
  window,
  dueFrom,
  dueTo,
  serviceType,
  status,
  owners,
  customerId,
  run,
  rung,
  number,
  atRisk,
  after,
}: QueueListing): string[] =>
  [
    status === undefined &&
      customerId === undefined &&
      run === undefined &&
      number === undefined &&
      'r.closed_at IS NULL',
    status !== undefined && 'r.status = :status',
    // Says of a status what the partial indexes are made for.
    status !== undefined && !isTerminal(status) && 'r.closed_at IS NULL',
    serviceType !== undefined && 'r.service_type = :service_type',
    owners !== undefined && !isMerged({ status, customerId, run, number }) && isOwnedBy(owners),
    customerId !== undefined && 'r.customer_id = :customer_id',
    run !== undefined &&
      `r.id IN (SELECT a.renewal_id FROM alerts a WHERE a.run_id = CAST(:run AS uuid) AND a.state = 'FIRED'
                ${rung === undefined ? '' : 'AND a.rung = :rung'})`,
    number !== undefined && HAS_NUMBER,
    atRisk && AT_RISK,
    dueFrom !== undefined && 'r.due_date >= CAST(:due_from AS date)',
    dueTo !== undefined && 'r.due_date <= CAST(:due_to AS date)',
    window !== undefined &&
      `r.due_date <= coalesce((SELECT as_of FROM refreshed), CAST(:today AS date)) + CAST(:window AS integer)
       AND coalesce(r.days_until_due, 0) <= CAST(:window AS integer)`,
    after && '(r.due_date, r.id) > (CAST(:after_due AS date), CAST(:after_id AS uuid))',
  ].filter((condition) => typeof condition === 'string');

/** By `renewals_by_part_of_number`. */
const HAS_NUMBER = `
  (r.policy_id IS NOT NULL OR r.source_id IS NOT NULL)
  AND ends_of(number_of(coalesce(r.policy_id, '') || ' ' || coalesce(r.source_id, '')))
      @@ CAST('''' || nullif(left(number_of(:number), 64), '') || ''':*' AS tsquery)`;

const AT_RISK = atRiskIn({ today: 'CAST(:today AS date)', now: 'CAST(:now AS timestamptz)' });

/** An index over what is active has each owner's in order; of all else little is read, or none of it by owner. */
const isMerged = ({
  status,
  customerId,
  run,
  number,
}: Pick<QueueListing, 'status' | 'customerId' | 'run' | 'number'>): boolean =>
  customerId === undefined &&
  run === undefined &&
  number === undefined &&
  (status === undefined || !isTerminal(status));

const OWNER = "coalesce(r.assigned_agent, r.customer_agent, '')";

const isOneOf = (owners: Owners, list: string): string =>
  'of' in owners ? `${OWNER} = ANY (CAST(:${list} AS text[]))` : `${OWNER} <> ALL (CAST(:${list} AS text[]))`;

const isOwnedBy = ({ open, closed }: OwnersOf): string =>
  `(r.closed_at IS NULL AND ${isOneOf(open, 'owners_of_open')}
    OR r.closed_at IS NOT NULL AND ${isOneOf(closed, 'owners_of_closed')})`;

/** Those there are, each found from the one before by one look into the index, but for these. */
const OTHER_OWNERS = `
  WITH RECURSIVE every AS (
    (SELECT ${OWNER} AS owner FROM renewals r WHERE r.closed_at IS NULL ORDER BY ${OWNER} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${OWNER} FROM renewals r WHERE r.closed_at IS NULL AND ${OWNER} > every.owner ORDER BY ${OWNER} LIMIT 1)
    FROM every WHERE every.owner IS NOT NULL
  ) SELECT owner FROM every WHERE owner <> ALL (CAST(:owners_of_open AS text[]))`;

/** Of several owners the first ones of each, of which the page is made. */
function pageSql(listing: QueueListing): string {
  const { owners } = listing;
  const first = (conditions: readonly string[]) =>
    `SELECT ${COLUMNS} FROM renewals_seen r WHERE ${conditions.join(' AND ') || 'true'}
     ORDER BY r.due_date, r.id LIMIT :limit`;
  if (owners === undefined || !isMerged(listing)) return first(conditionsOf(listing));
  const each = 'of' in owners.open ? 'SELECT unnest(CAST(:owners_of_open AS text[])) AS owner' : OTHER_OWNERS;
  return `SELECT theirs.* FROM (${each}) o
          CROSS JOIN LATERAL (${first([...conditionsOf(listing), `${OWNER} = o.owner`])}) theirs
          ORDER BY theirs.due_date, theirs.id LIMIT :limit`;
}

const isTerminal = (status: RenewalStatus) => status === 'COMPLETED' || status === 'CANCELLED';

/** One statement, so that `as_of` and what is counted from it are of one moment. */
export async function listQueue(db: Db, listing: QueueListing): Promise<QueuePage> {
  const listed = await rows<ListedRow>(
    db,
    `SELECT f.as_of AS page_as_of, page.*
     FROM (SELECT (SELECT as_of FROM refreshed) AS as_of) f LEFT JOIN LATERAL (
       ${pageSql(listing)}
     ) page ON true
     ORDER BY page.due_date, page.id`,
    bindingsOf(listing),
  );
  return { as_of: listed[0]?.page_as_of ?? null, renewals: listed.flatMap(renewalOf) };
}

const bindingsOf = (listing: QueueListing) => {
  const {
    window,
    dueFrom,
    dueTo,
    serviceType,
    status,
    owners,
    customerId,
    run,
    rung,
    number,
    now,
    today,
    after,
    limit,
  } = listing;
  return {
    window: window ?? null,
    due_from: dueFrom ?? null,
    due_to: dueTo ?? null,
    service_type: serviceType ?? null,
    status: status ?? null,
    ...ownersIn(owners),
    customer_id: customerId ?? null,
    run: run ?? null,
    rung: rung ?? null,
    number: number ?? null,
    now,
    today,
    limit,
    after_due: after?.dueDate ?? null,
    after_id: after?.id ?? null,
  };
};

const ownersIn = (owners: OwnersOf | undefined) =>
  owners && { owners_of_open: idsIn(owners.open), owners_of_closed: idsIn(owners.closed) };

const idsIn = (owners: Owners): readonly string[] => ('of' in owners ? owners.of : owners.notOf);

/** The one row of an empty page carries the date alone. */
type ListedRow = { page_as_of: PlainDate | null } & (StoredRenewal | { id: null });

const renewalOf = ({ page_as_of: _, ...renewal }: ListedRow) => (renewal.id === null ? [] : [renewal]);

/** Each by one look into `renewals_of_customer`, past what is over. */
export async function nextRenewals(db: Db, customerIds: readonly string[]): Promise<NextRenewal[]> {
  return rows<NextRenewal>(
    db,
    `SELECT n.id, n.customer_id, n.service_type, n.due_date
     FROM (SELECT DISTINCT unnest(CAST(:customerIds AS text[])) COLLATE "C" AS id) c
     CROSS JOIN LATERAL (SELECT r.* FROM renewals r WHERE r.customer_id = c.id AND r.closed_at IS NULL
                         ORDER BY r.due_date, r.id LIMIT 1) n`,
    { customerIds },
  );
}

const weeksAhead = 26;

/** `owners`: of these alone. */
export async function summarise(db: Db, today: PlainDate, owners: OwnersOf | undefined): Promise<RenewalSummary> {
  const isCounted = owners === undefined ? 'true' : isOwnedBy(owners);
  return oneRow<RenewalSummary>(
    db,
    `WITH base AS MATERIALIZED (SELECT as_of, coalesce(as_of, CAST(:today AS date)) AS day FROM refreshed)
     SELECT (SELECT as_of FROM base) AS as_of,
       (SELECT coalesce(jsonb_agg(c ORDER BY c.service_type, c.status), '[]') FROM (
          SELECT service_type, status, count(*)::int AS count FROM renewals r WHERE ${isCounted}
          GROUP BY service_type, status) c
       ) AS by_service_type,
       (SELECT coalesce(jsonb_agg(w ORDER BY w.week, w.service_type), '[]') FROM (
          SELECT date_trunc('week', due_date)::date AS week, service_type, count(*)::int AS count FROM renewals r
          WHERE ${isCounted} AND closed_at IS NULL AND due_date >= (SELECT day FROM base)
            AND due_date < (SELECT date_trunc('week', day)::date + 7 * CAST(:weeks AS integer) FROM base)
          GROUP BY 1, 2) w
       ) AS by_week`,
    { today, weeks: weeksAhead, ...ownersIn(owners) },
  );
}
