import type { AttentionItem, AttentionQuery } from '@ops/contracts/resources/attention';
import type { Owners } from '@ops/contracts/responsible';
import { type Db, execute, firstRow, rows, type Trx } from '@ops/service-kit/database';
import { cameAt } from '../records/record-columns.ts';
import type { KeptAttention } from './attention.rules.ts';

const KEPT = 'utc_text(waiting_since) AS waiting_since, utc_text(snoozed_until) AS snoozed_until';

export async function findAttention(db: Db | Trx, customerId: string): Promise<KeptAttention | undefined> {
  return firstRow<KeptAttention>(db, `SELECT ${KEPT} FROM attention WHERE customer_id = :id`, { id: customerId });
}

/** Brings the row up to date and holds it until this transaction ends. Undefined when there is no such customer. */
export async function holdAttention(trx: Trx, customerId: string): Promise<KeptAttention | undefined> {
  await execute(trx, 'SELECT attend(k.id) FROM customers k WHERE k.id = :id', { id: customerId });
  return findAttention(trx, customerId);
}

/**
 * Done with what came into the log up to this record: one that comes late may be older than what the person saw. Without
 * one, up to the last that waits. Only ever goes further.
 */
export async function setDone(trx: Trx, customerId: string, upTo: string | undefined): Promise<void> {
  const last = upTo === undefined ? NEWEST_WAITING : 'SELECT * FROM communications WHERE id = :up_to';
  await execute(
    trx,
    `UPDATE attention a
     SET done_at = ${cameAt('c')}, done_id = c.id, snoozed_at = NULL, snoozed_until = NULL
     FROM (${last}) c
     WHERE a.customer_id = :id
       AND (a.done_at IS NULL OR (a.done_at, a.done_id) < (${cameAt('c')}, c.id))`,
    { id: customerId, ...(upTo !== undefined && { up_to: upTo }) },
  );
  await execute(trx, 'SELECT attend(:id)', { id: customerId });
}

const NEWEST_WAITING = `
  SELECT r.* FROM attention k CROSS JOIN LATERAL unanswered(k.customer_id, k.done_at, k.done_id) u
  JOIN communications r ON r.id = u.id
  WHERE k.customer_id = :id ORDER BY u.came_at DESC, u.id DESC LIMIT 1`;

/** What came after this record ends it at once; without one, what waits by now is put off. */
export async function setSnoozed(trx: Trx, customerId: string, until: string, upTo: string | undefined): Promise<void> {
  const last =
    upTo === undefined
      ? 'SELECT max(u.came_at) FROM unanswered(a.customer_id, a.done_at, a.done_id) u'
      : `SELECT ${cameAt('c')} FROM communications c WHERE c.id = :up_to`;
  await execute(
    trx,
    `UPDATE attention a SET snoozed_until = CAST(:until AS timestamptz), snoozed_at = (${last})
     WHERE a.customer_id = :id`,
    { id: customerId, until, ...(upTo !== undefined && { up_to: upTo }) },
  );
  await execute(trx, 'SELECT attend(:id)', { id: customerId });
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
    `SELECT a.customer_id, k.name AS customer_name, k.assigned_agent, utc_text(a.waiting_since) AS waiting_since,
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
