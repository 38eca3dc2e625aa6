import type { PlainDate } from '@ops/contracts/dates';
import type { NextRenewal } from '@ops/contracts/internal-routes';
import type { RenewalStatus, Rung } from '@ops/contracts/resources/renewal';
import type { OwnersOf } from '@ops/contracts/responsible';
import { type Db, rows } from '@ops/service-kit/database';
import { atRisk as atRiskIn } from '../at-risk/at-risk-columns.ts';
import type { StoredRenewal } from '../renewals/renewal.rules.ts';
import { COLUMNS, OWNER } from '../renewals/renewal-columns.ts';
import { isOwnedBy, openOwners, ownersIn } from './owner-columns.ts';

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

/** Of several owners the first ones of each, of which the page is made. */
function pageSql(listing: QueueListing): string {
  const { owners } = listing;
  const first = (conditions: readonly string[]) =>
    `SELECT ${COLUMNS} FROM renewals_seen r WHERE ${conditions.join(' AND ') || 'true'}
     ORDER BY r.due_date, r.id LIMIT :limit`;
  if (owners === undefined || !isMerged(listing)) return first(conditionsOf(listing));
  return `SELECT theirs.* FROM (${openOwners(owners)}) o
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
