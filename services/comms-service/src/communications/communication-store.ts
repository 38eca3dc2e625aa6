import {
  type Communication,
  type CommunicationListQuery,
  type CommunicationType,
  internalTypes,
} from '@ops/contracts/resources/communication';
import { type Actor, seesInternal } from '@ops/contracts/roles';
import { type Db, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';
import type { ToldRecord } from '../records/communication-events.ts';
import { COLUMNS, cameAt, TOLD_COLUMNS } from '../records/record-columns.ts';

interface RecordPosition {
  occurredAt: string;
  id: string;
}

export interface RecordListing {
  customerId: string;
  reader: Actor;
  filterType: CommunicationType | null;
  asked: Pick<CommunicationListQuery, 'type' | 'direction' | 'unread' | 'q'>;
  after: RecordPosition | undefined;
  limit: number;
}

export interface RecordPage {
  unread_count: number;
  records: Communication[];
}

/**
 * Stands in the one statement that reads records for somebody: no filter, search or cursor gets around it. What a person may still
 * call back, or has, was not said to anybody yet.
 */
const VISIBLE = `(
  c.type NOT IN (${internalTypes.map((type) => `'${type}'`).join()})
  AND NOT (c.direction = 'OUTBOUND' AND NOT (c.automated AND c.author IS NULL)
           AND (c.status = 'CANCELLED' OR (c.status = 'QUEUED' AND c.send_after IS NOT NULL))))`;

/** As the search of all messages finds them: by what is kept of their words, and not by reading them. */
const HAS_WORDS =
  'EXISTS (SELECT FROM communication_words w WHERE w.communication_id = c.id AND w.words @@ words_asked(:q))';

/** When the newest but so many of what a program sent a customer since then was created; none if it sent fewer. */
export async function createdOf(
  trx: Trx,
  { customerId, by, since, nth }: { customerId: string; by: string; since: Date; nth: number },
): Promise<Date | undefined> {
  const found = await firstRow<{ created_at: Date }>(
    trx,
    `SELECT created_at FROM communications
     WHERE customer_id = :customer_id AND occurred_at > :since AND direction = 'OUTBOUND' AND automated AND created_by = :by
     ORDER BY occurred_at DESC OFFSET :before LIMIT 1`,
    { customer_id: customerId, by, since, before: nth - 1 },
  );
  return found?.created_at;
}

/**
 * One statement, so that page and count are of one moment; no row at all when there is no such customer, or it is an alias. Only what
 * was asked stands in it, and one of few limits as a number, so that each way of asking has a plan of its own that is kept:
 * `communications_in_list_order`, `communications_of_a_type` or `communications_unread`, read in order up to the limit.
 */
const list = (conditions: readonly string[], limit: number) => `
  WITH customer AS MATERIALIZED (
    SELECT k.id, (SELECT count(*)::int FROM communications u WHERE u.customer_id = k.id AND u.unread) AS unread_count
    FROM customers k WHERE k.id = :customer_id AND k.leads_to IS NULL
  )
  SELECT customer.unread_count, page.*
  FROM customer LEFT JOIN LATERAL (
    SELECT ${COLUMNS}, c.occurred_at AS position_at
    FROM communications c
    WHERE ${['c.customer_id = :customer_id', ...conditions].join(' AND ')}
    ORDER BY c.occurred_at DESC, c.id DESC LIMIT ${limit}
  ) page ON true
  ORDER BY page.position_at DESC, page.id DESC`;

/** A page holds 200 at most, and one more tells that there are others. */
const limits = [21, 51, 101, 201];

export async function listRecords(db: Db | Trx, listing: RecordListing): Promise<RecordPage | undefined> {
  const { customerId, filterType, asked, after, limit } = listing;
  const atMost = limits.find((most) => most >= limit) ?? limit;
  const listed = await rows<ListedRow>(db, list(conditionsOf(listing), atMost), {
    customer_id: customerId,
    filter_type: filterType,
    type: asked.type ?? null,
    direction: asked.direction ?? null,
    q: asked.q ?? null,
    after_at: after?.occurredAt ?? null,
    after_id: after?.id ?? null,
  });
  return listed[0] && { unread_count: listed[0].unread_count, records: listed.slice(0, limit).flatMap(recordOf) };
}

function conditionsOf({ reader, filterType, asked, after }: RecordListing): string[] {
  const conditions = [
    !seesInternal(reader) && VISIBLE,
    filterType !== null && 'c.type = :filter_type',
    asked.type !== undefined && 'c.type = :type',
    asked.direction !== undefined && 'c.direction = :direction',
    asked.unread !== undefined && (asked.unread ? 'c.unread' : 'NOT c.unread'),
    asked.q !== undefined && HAS_WORDS,
    after !== undefined && '(c.occurred_at, c.id) < (CAST(:after_at AS timestamptz), CAST(:after_id AS uuid))',
  ];
  return conditions.filter((condition) => condition !== false);
}

/** Nothing when there is no such customer, or it is an alias. */
export async function countByType(
  db: Db,
  customerId: string,
  q?: string,
): Promise<Map<string | null, number> | undefined> {
  const counts = await rows<{ type: string | null; count: number }>(
    db,
    `SELECT c.type, count(c.type)::int
     FROM customers k LEFT JOIN communications c ON c.customer_id = k.id ${q === undefined ? '' : `AND ${HAS_WORDS}`}
     WHERE k.id = :customer_id AND k.leads_to IS NULL GROUP BY c.type`,
    { customer_id: customerId, q: q ?? null },
  );
  return counts.length === 0 ? undefined : new Map(counts.map(({ type, count }) => [type, count]));
}

/** The one row of an empty page carries the count alone. */
type ListedRow = { unread_count: number; position_at: Date | null } & (Communication | { id: null });

const recordOf = ({ unread_count: _, position_at: __, ...record }: ListedRow) => (record.id === null ? [] : [record]);

export async function isRecordOf(trx: Trx, customerId: string, id: string): Promise<boolean> {
  return (await trx('communications').where({ id, customer_id: customerId }).first('id')) !== undefined;
}

/**
 * Rows are locked in the order of their ids first: two that mark the same customer's records wait for each other
 * instead of deadlocking. What counts is when a record came into this log: one that comes late may be older than what
 * the person saw. A record that arrives meanwhile is not seen, and stays unread. Their words stay where they are: there
 * may be thousands.
 */
export async function markRead(trx: Trx, customerId: string, upTo: string | undefined): Promise<ToldRecord[]> {
  return rows<ToldRecord>(
    trx,
    `UPDATE communications c SET unread = false
     WHERE c.id IN (
       SELECT u.id FROM communications u
       WHERE u.customer_id = :customer_id AND u.unread
         AND (CAST(:up_to AS uuid) IS NULL
              OR (${cameAt('u')}, u.id)
                 <= (SELECT ${cameAt('s')}, s.id FROM communications s WHERE s.id = :up_to))
       ORDER BY u.id FOR UPDATE)
     RETURNING ${TOLD_COLUMNS}`,
    { customer_id: customerId, up_to: upTo ?? null },
  );
}

/** In the order of the log, which is what somebody sees who says from where; a machine's words stay as they are. */
export async function markUnread(trx: Trx, customerId: string, from: string): Promise<ToldRecord[]> {
  return rows<ToldRecord>(
    trx,
    `UPDATE communications c SET unread = true
     WHERE c.id IN (
       SELECT u.id FROM communications u
       WHERE u.customer_id = :customer_id AND u.direction = 'INBOUND' AND NOT u.unread AND NOT u.automatic AND NOT u.imported
         AND (u.occurred_at, u.id) >= (SELECT f.occurred_at, f.id FROM communications f WHERE f.id = :from)
       ORDER BY u.id FOR UPDATE)
     RETURNING ${TOLD_COLUMNS}`,
    { customer_id: customerId, from },
  );
}

export async function countUnread(trx: Trx, customerId: string): Promise<number> {
  const { unread } = await oneRow<{ unread: number }>(
    trx,
    'SELECT count(*)::int AS unread FROM communications WHERE customer_id = :customer_id AND unread',
    { customer_id: customerId },
  );
  return unread;
}
