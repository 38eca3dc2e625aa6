import type { UnmatchedQuery } from '@ops/contracts/resources/unmatched';
import { type Db, firstRow, rows, type Trx } from '@ops/service-kit/database';
import type { FollowingMessage, Link, WaitingMessage } from '../filing/filed.rules.ts';
import type { Learned, SenderIdentifier } from '../filing/matching.rules.ts';
import { ATTACHMENTS } from '../records/record-columns.ts';
import type { StoredUnmatched } from './unmatched.rules.ts';

/** Whom it may be from is looked up on reading: it changes with every customer and record. */
const whole = (picked: string) => `
  SELECT m.communication_id AS id, m.type, m.reason, m.sender_key, m.keys, m.address, m.phone, m.email, m.user_id,
         m.name, m.username, c.direction, m.link_id, m.linked_to, m.linked_by, utc_text(m.linked_at) AS linked_at,
         c.customer_id, c.automatic, c.recipient, c.subject, c.body, ${ATTACHMENTS},
         utc_text(c.occurred_at) AS occurred_at, utc_text(c.claimed_at) AS claimed_at,
         utc_text(c.received_at) AS received_at,
         ARRAY (SELECT DISTINCT o.customer_id
                FROM answers a CROSS JOIN LATERAL (
                  SELECT n.customer_id, n.type FROM communications n WHERE n.provider_message_id = a.external_id
                  UNION ALL
                  SELECT t.customer_id, t.type FROM communications t WHERE t.id = a.record_id) o
                WHERE a.communication_id = c.id AND o.type = c.type AND o.customer_id IS NOT NULL) AS answered,
         ARRAY (SELECT k.id FROM customers k
                WHERE m.name_folded <> '' AND k.sort_key = left(m.name_folded, 64) AND k.name_folded = m.name_folded
                ORDER BY k.id LIMIT 20) AS namesakes
  FROM (${picked}) m JOIN communications c ON c.id = m.communication_id
  ORDER BY m.occurred_at DESC, m.communication_id DESC`;

interface Position {
  occurredAt: string;
  id: string;
}

/** The page after a position, newest first, in the order of the index of its state. */
export async function listUnmatched(
  db: Db | Trx,
  { state, type }: Pick<UnmatchedQuery, 'state' | 'type'>,
  after: Position | undefined,
  limit: number,
): Promise<StoredUnmatched[]> {
  const picked = `
    SELECT * FROM inbound_messages m
    WHERE m.linked_at IS ${state === 'linked' ? 'NOT NULL' : 'NULL'}
      AND (CAST(:type AS text) IS NULL OR m.type = :type)
      AND (CAST(:after_at AS timestamptz) IS NULL
           OR (m.occurred_at, m.communication_id) < (CAST(:after_at AS timestamptz), CAST(:after_id AS uuid)))
    ORDER BY m.occurred_at DESC, m.communication_id DESC LIMIT :limit`;
  const position = { after_at: after?.occurredAt ?? null, after_id: after?.id ?? null };
  return rows<StoredUnmatched>(db, whole(picked), { type: type ?? null, limit, ...position });
}

export async function findUnmatched(db: Db | Trx, id: string): Promise<StoredUnmatched | undefined> {
  return firstRow<StoredUnmatched>(db, whole('SELECT * FROM inbound_messages WHERE communication_id = :id'), { id });
}

/** All that wait from that sender on that channel, oldest first; not what was probably written in their name. */
export async function lockWaitingOf(trx: Trx, { type, sender_key }: StoredUnmatched): Promise<string[]> {
  const waiting = await trx<WaitingMessage & { linked_at: Date | null }>('inbound_messages')
    .where({ type, sender_key, linked_at: null })
    .whereNot({ reason: 'unverified' })
    .orderBy(['occurred_at', 'communication_id'])
    .forUpdate()
    .select('communication_id');
  return waiting.map(({ communication_id }) => communication_id);
}

/** All that were linked at once and are still where the link put them. */
export async function lockLinked(trx: Trx, linkId: string): Promise<string[]> {
  const found = await rows<{ id: string }>(
    trx,
    `SELECT c.id FROM inbound_messages m JOIN communications c ON c.id = m.communication_id
     WHERE m.link_id = :link AND c.customer_id = m.linked_to ORDER BY c.id FOR UPDATE`,
    { link: linkId },
  );
  return found.map(({ id }) => id);
}

/** All that came later and are where they are by nothing but this link. */
export async function lockFollowing(trx: Trx, { id, customer }: Link): Promise<FollowingMessage[]> {
  return rows<FollowingMessage>(
    trx,
    `SELECT c.id AS communication_id, c.type, c.sender, utc_text(c.occurred_at) AS occurred_at FROM communications c
     WHERE c.placed_by = :id AND c.customer_id = :customer ORDER BY c.id FOR UPDATE`,
    { id, customer },
  );
}

export async function taughtBy(db: Db | Trx, linkId: string): Promise<SenderIdentifier[]> {
  return db<Learned>('identifiers').where({ link_id: linkId }).select('kind', 'value');
}

export async function isLearnedBy(db: Db | Trx, linkId: string): Promise<boolean> {
  return (await taughtBy(db, linkId)).length > 0;
}
