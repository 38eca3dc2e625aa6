import type { AttentionItem, AttentionQuery } from '@ops/contracts/resources/attention';
import type { Owners } from '@ops/contracts/responsible';
import { type Db, execute, firstRow, rows, type Trx } from '@ops/service-kit/database';
import { cameAt } from '../records/record-columns.ts';
import type { KeptAttention } from './attention.rules.ts';

const KEPT = 'utc_text(waiting_since) AS waiting_since, utc_text(snoozed_until) AS snoozed_until';

export async function findAttention(db: Db | Trx, customerId: string): Promise<KeptAttention | undefined> {
  return firstRow<KeptAttention>(db, `SELECT ${KEPT} FROM attention WHERE customer_id = :id`, { id: customerId });
}

/** Brings the row up to date and holds it until this transaction ends. */
export async function holdAttention(trx: Trx, customerId: string): Promise<KeptAttention | undefined> {
  await execute(trx, 'SELECT attend(:id)', { id: customerId });
  return findAttention(trx, customerId);
}

/** Of an UPDATE that can be taken back: what there was before it is kept, instead of that of the change before. */
const AS_CHANGE = `
  change_id = :change, is_taken_back = false, former_done_at = a.done_at, former_done_id = a.done_id,
  former_snoozed_at = a.snoozed_at, former_snoozed_until = a.snoozed_until`;

/** Which customer, and the id that the change gets. */
export interface Change {
  id: string;
  change: string;
}

/**
 * Done with what came into the log up to this record, under whichever id: one that comes late may be older than what the person saw.
 * Without one, up to the last that waits. Only ever goes further; false when that is no change.
 */
export async function setDone(trx: Trx, { id, change }: Change, upTo: string | undefined): Promise<boolean> {
  const last = upTo === undefined ? NEWEST_WAITING : 'SELECT * FROM communications WHERE id = :up_to';
  await execute(
    trx,
    `INSERT INTO attention (customer_id) SELECT k.id FROM customers k WHERE k.leads_to = :id ON CONFLICT DO NOTHING`,
    { id },
  );
  const changed = await execute(
    trx,
    `UPDATE attention a
     SET done_at = ${cameAt('c')}, done_id = c.id, snoozed_at = NULL, snoozed_until = NULL, left_done_id = c.id, ${AS_CHANGE}
     FROM (${last}) c
     WHERE a.customer_id = ANY (ids_of(:id))
       AND (a.done_at IS NULL OR (a.done_at, a.done_id) < (${cameAt('c')}, c.id))`,
    { id, change, ...(upTo !== undefined && { up_to: upTo }) },
  );
  // Which change was the last says the row of the customer, also where only former ids were not done with yet.
  if (changed > 0)
    await execute(
      trx,
      `UPDATE attention a SET left_done_id = a.done_id, ${AS_CHANGE}
       WHERE a.customer_id = :id AND a.change_id IS DISTINCT FROM CAST(:change AS uuid)`,
      { id, change },
    );
  await execute(trx, 'SELECT attend(:id)', { id });
  return changed > 0;
}

const NEWEST_WAITING = `
  SELECT r.* FROM attention k CROSS JOIN LATERAL unanswered(k.customer_id, k.done_at, k.done_id) u
  JOIN communications r ON r.id = u.id
  WHERE k.customer_id = :id ORDER BY u.came_at DESC, u.id DESC LIMIT 1`;

/** What came after this record ends it at once; without one, what waits by now is put off. */
export async function setSnoozed(
  trx: Trx,
  { id, change }: Change,
  until: string,
  upTo: string | undefined,
): Promise<void> {
  const last =
    upTo === undefined
      ? 'SELECT max(u.came_at) FROM unanswered(a.customer_id, a.done_at, a.done_id) u'
      : `SELECT ${cameAt('c')} FROM communications c WHERE c.id = :up_to`;
  await execute(
    trx,
    `UPDATE attention a
     SET snoozed_until = CAST(:until AS timestamptz), snoozed_at = (${last}), left_done_id = a.done_id, ${AS_CHANGE}
     WHERE a.customer_id = :id`,
    { id, change, until, ...(upTo !== undefined && { up_to: upTo }) },
  );
  await execute(trx, 'SELECT attend(:id)', { id });
}

export async function setAwake(trx: Trx, { id, change }: Change): Promise<void> {
  await execute(
    trx,
    `UPDATE attention a SET snoozed_until = NULL, left_done_id = a.done_id, ${AS_CHANGE} WHERE a.customer_id = :id`,
    { id, change },
  );
}

/**
 * All is as it was before that change, and what came into the log since waits besides. What came meanwhile is only known to
 * be later than what was named meanwhile: where that was less than the customer was put off for, they are put off no more.
 * What is still to come is kept from looking as if it had been seen by then. False when another change came after it.
 */
export async function takeBack(trx: Trx, { id, change }: Change): Promise<boolean> {
  const [taken] = await rows<{ seen_at: string | null }>(
    trx,
    `UPDATE attention a
     SET is_taken_back = true, done_at = a.former_done_at, done_id = a.former_done_id, snoozed_at = a.former_snoozed_at,
         snoozed_until = CASE WHEN a.former_snoozed_at <= m.least_at THEN a.former_snoozed_until END
     FROM (SELECT max(greatest(d.done_at, h.snoozed_at)) AS seen_at,
                  min(coalesce(greatest(d.done_at, h.snoozed_at), '-infinity')) AS least_at
           FROM attention h CROSS JOIN attention d
           WHERE h.customer_id = :id AND h.change_id = :change AND NOT h.is_taken_back
             AND h.done_id IS NOT DISTINCT FROM h.left_done_id AND d.customer_id = ANY (ids_of(:id))
           HAVING count(*) > 0) m
     WHERE a.customer_id = ANY (ids_of(:id)) AND a.change_id = :change AND a.done_id IS NOT DISTINCT FROM a.left_done_id
     RETURNING utc_text(m.seen_at) AS seen_at`,
    { id, change },
  );
  if (!taken) return isTakenBack(trx, { id, change });
  await execute(trx, 'SELECT attend(:id)', { id });
  await execute(
    trx,
    'UPDATE attention SET snoozed_at = greatest(snoozed_at, CAST(:seen_at AS timestamptz)) WHERE customer_id = :id',
    { id, seen_at: taken.seen_at },
  );
  return true;
}

/** Who was done with one of two knew nothing of the other: what they changed is not taken back once the two are one, or no more. */
export async function forgetChanges(trx: Trx, ids: readonly string[]): Promise<void> {
  await execute(trx, 'UPDATE attention SET change_id = NULL WHERE customer_id = ANY (CAST(:ids AS text[]))', { ids });
}

async function isTakenBack(trx: Trx, { id, change }: Change): Promise<boolean> {
  const sql = 'SELECT 1 FROM attention WHERE customer_id = :id AND change_id = :change AND is_taken_back';
  return (await execute(trx, sql, { id, change })) > 0;
}

/**
 * Two have become one: whoever waits goes on waiting, and is put off only if all who wait were. Both rows must be brought up to date
 * after it.
 */
export async function joinSnoozes(trx: Trx, alias: string, survivor: string, now: Date): Promise<void> {
  await execute(
    trx,
    `UPDATE attention s
     SET snoozed_until = w.until, snoozed_at = (SELECT max(u.came_at) FROM unanswered(s.customer_id, s.done_at, s.done_id) u)
     FROM (SELECT CASE WHEN bool_and(coalesce(a.snoozed_until > CAST(:now AS timestamptz), false)) THEN min(a.snoozed_until) END AS until
           FROM attention a WHERE a.customer_id IN (:alias, :survivor) AND a.waiting_since IS NOT NULL) w
     WHERE s.customer_id = :survivor`,
    { alias, survivor, now },
  );
}

/** One of them is themselves again: put off as far as both were. */
export async function partSnoozes(trx: Trx, alias: string, survivor: string): Promise<void> {
  await execute(
    trx,
    `UPDATE attention a SET snoozed_until = s.snoozed_until, snoozed_at = s.snoozed_at
     FROM attention s WHERE a.customer_id = :alias AND s.customer_id = :survivor`,
    { alias, survivor },
  );
}

/** In one order. */
export async function holdRows(trx: Trx, ids: readonly string[]): Promise<void> {
  await execute(
    trx,
    `INSERT INTO attention (customer_id) SELECT * FROM unnest(CAST(:ids AS text[])) ON CONFLICT DO NOTHING`,
    { ids },
  );
  await execute(
    trx,
    'SELECT 1 FROM attention WHERE customer_id = ANY (CAST(:ids AS text[])) ORDER BY customer_id FOR UPDATE',
    {
      ids,
    },
  );
}

export async function lookAgain(trx: Trx, ids: readonly string[]): Promise<void> {
  for (const id of ids) await execute(trx, 'SELECT attend(:id)', { id });
}

export interface AttentionListing extends Pick<AttentionQuery, 'state' | 'channel'> {
  /** Whose customers; undefined: everybody's. */
  owners: Owners | undefined;
  now: Date;
  after: { waitingSince: string; customerId: string } | undefined;
  limit: number;
}

export type ListedAttention = Omit<AttentionItem, 'answer_by' | 'responsible_agent' | 'next_renewal'>;

/** Asked of each who waits: joined, all customers of a firm would be read for the few who do. */
const OWNER = "coalesce((SELECT k.assigned_agent FROM customers k WHERE k.id = a.customer_id), '')";

const isOwnedBy = (owners: Owners): string =>
  'of' in owners ? `${OWNER} = ANY (CAST(:owners AS text[]))` : `${OWNER} <> ALL (CAST(:owners AS text[]))`;

/** Reads of those who wait, or are put off, and of nobody else; names, words and counts of the page's rows alone. */
export async function listWaiting(db: Db, listing: AttentionListing): Promise<ListedAttention[]> {
  const { state, channel, owners, now, after, limit } = listing;
  const isSnoozed = 'coalesce(a.snoozed_until > CAST(:now AS timestamptz), false)';
  const conditions = [
    'a.waiting_since IS NOT NULL',
    state === 'snoozed' ? 'a.snoozed_until > CAST(:now AS timestamptz)' : `NOT ${isSnoozed}`,
    channel && 'a.type = :channel',
    owners && isOwnedBy(owners),
    after && '(a.waiting_since, a.customer_id) > (CAST(:after_at AS timestamptz), :after_id)',
  ].filter(Boolean);
  return rows<ListedAttention>(
    db,
    `SELECT a.customer_id, k.name AS customer_name, utc_text(k.archived_at) AS archived_at, k.assigned_agent, utc_text(a.waiting_since) AS waiting_since,
            CASE WHEN ${isSnoozed} THEN utc_text(a.snoozed_until) END AS snoozed_until,
            (SELECT count(*)::int FROM communications u WHERE u.customer_id = a.customer_id AND u.unread) AS unread_count,
            jsonb_build_object('id', c.id, 'type', c.type, 'subject', c.subject, 'body', left(c.body, 300),
              'occurred_at', utc_text(c.occurred_at),
              'attachments', (SELECT count(*) FROM attachments f
                              WHERE f.communication_id = c.id AND f.role <> 'html')) AS last_message
     FROM (SELECT a.* FROM attention a
           WHERE ${conditions.join(' AND ')} ORDER BY a.waiting_since, a.customer_id LIMIT :limit) a
     JOIN customers k ON k.id = a.customer_id
     JOIN communications c ON c.id = a.message_id
     ORDER BY a.waiting_since, a.customer_id`,
    {
      now,
      limit,
      ...(channel && { channel }),
      ...(owners && { owners: 'of' in owners ? owners.of : owners.notOf }),
      ...(after && { after_at: after.waitingSince, after_id: after.customerId }),
    },
  );
}

export async function isInLog(trx: Trx, customerId: string, id: string): Promise<boolean> {
  return (
    (await execute(trx, 'SELECT 1 FROM communications WHERE id = :id AND customer_id = :customerId', {
      id,
      customerId,
    })) > 0
  );
}
