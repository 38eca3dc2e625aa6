import type { UnmatchedQuery } from '@ops/contracts/resources/unmatched';
import { type Db, firstRow, rows, type Trx } from '@ops/service-kit/database';
import type { FollowingMessage, Link } from '../filing/filed.rules.ts';
import type { Learned, SenderIdentifier } from '../filing/matching.rules.ts';
import { NOT_ALONE } from '../filing/waiting-columns.ts';
import { ATTACHMENTS } from '../records/record-columns.ts';
import { isWholeSender, type StoredUnmatched } from './unmatched.rules.ts';

/** Whom it may be from is looked up on reading: it changes with every customer and record. */
const whole = (picked: string) => `
  SELECT m.communication_id AS id, m.type, m.reason, m.sender_key, m.keys, m.address, m.phone, m.email, m.user_id,
         m.name, m.username, c.direction, m.link_id, m.linked_to, m.linked_by, utc_text(m.linked_at) AS linked_at,
         m.dismissed_by, utc_text(m.dismissed_at) AS dismissed_at,
         c.customer_id, coalesce(c.written_under, c.customer_id) AS filed_under, c.automatic, c.recipient, c.subject, c.body, ${ATTACHMENTS},
         utc_text(c.occurred_at) AS occurred_at, utc_text(c.claimed_at) AS claimed_at,
         utc_text(c.received_at) AS received_at,
         ARRAY (SELECT DISTINCT o.customer_id
                FROM answers a CROSS JOIN LATERAL (
                  SELECT n.customer_id, n.type FROM communications n WHERE n.provider_message_id = a.external_id
                  UNION ALL
                  SELECT t.customer_id, t.type FROM communications t WHERE t.id = a.record_id) o
                WHERE a.communication_id = c.id AND o.type = c.type AND o.customer_id IS NOT NULL) AS answered,
         ARRAY (SELECT DISTINCT coalesce(k.leads_to, k.id) FROM customers k
                WHERE m.name_folded <> '' AND k.sort_key = left(m.name_folded, 64) AND k.name_folded = m.name_folded
                ORDER BY 1 LIMIT 20) AS namesakes
  FROM (${picked}) m JOIN communications c ON c.id = m.communication_id
  ORDER BY m.occurred_at DESC, m.communication_id DESC`;

interface Position {
  occurredAt: string;
  id: string;
}

/** As the indexes of the states have it. */
const IN_STATE: Record<UnmatchedQuery['state'], string> = {
  waiting: 'm.linked_at IS NULL AND m.dismissed_at IS NULL',
  linked: 'm.linked_at IS NOT NULL',
  dismissed: 'm.dismissed_at IS NOT NULL AND m.linked_at IS NULL',
};

const OF_SENDER = `m.communication_id = ANY (ARRAY(
  SELECT s.communication_id FROM inbound_messages s
  WHERE sender_ends(s.address, s.phone, s.email, s.name_folded, s.username) @@ CAST(:sender AS tsquery)))`;

/** The page after a position, newest first, in the order of the index of its state. `sender`: of those alone whom it fits. */
export async function listUnmatched(
  db: Db | Trx,
  { state, type, sender }: Pick<UnmatchedQuery, 'state' | 'type'> & { sender?: string | undefined },
  after: Position | undefined,
  limit: number,
): Promise<StoredUnmatched[]> {
  const picked = `
    SELECT * FROM inbound_messages m
    WHERE ${IN_STATE[state]} ${sender === undefined ? '' : `AND ${OF_SENDER}`}
      AND (CAST(:type AS text) IS NULL OR m.type = :type)
      AND (CAST(:after_at AS timestamptz) IS NULL
           OR (m.occurred_at, m.communication_id) < (CAST(:after_at AS timestamptz), CAST(:after_id AS uuid)))
    ORDER BY m.occurred_at DESC, m.communication_id DESC LIMIT :limit`;
  const position = { after_at: after?.occurredAt ?? null, after_id: after?.id ?? null };
  return rows<StoredUnmatched>(db, whole(picked), {
    type: type ?? null,
    limit,
    ...position,
    ...(sender !== undefined && { sender }),
  });
}

export async function findUnmatched(db: Db | Trx, id: string): Promise<StoredUnmatched | undefined> {
  return firstRow<StoredUnmatched>(db, whole('SELECT * FROM inbound_messages WHERE communication_id = :id'), { id });
}

/** This one and all that wait from its sender on its channel, oldest first; not what was probably written in their name, or put away alone. */
export async function lockWaitingOf(trx: Trx, { id, type, sender_key }: StoredUnmatched): Promise<string[]> {
  const waiting = await rows<{ id: string }>(
    trx,
    `SELECT m.communication_id AS id FROM inbound_messages m
     WHERE m.type = :type AND m.sender_key = :sender_key AND m.linked_at IS NULL AND m.reason <> 'unverified'
       AND (m.communication_id = :id OR ${NOT_ALONE})
     ORDER BY m.occurred_at, m.communication_id FOR UPDATE`,
    { id, type, sender_key },
  );
  return waiting.map((one) => one.id);
}

/** This one, and all others of an unknown sender when it stands for them. */
const TOGETHER = `(communication_id = :id
  OR (:whole AND linked_at IS NULL AND type = :type AND sender_key = :sender_key AND reason = 'unknown'))`;

const sameAs = (message: StoredUnmatched) => {
  const { id, type, sender_key } = message;
  return { id, type, sender_key, whole: isWholeSender(message) };
};

export interface Dismissal {
  by: string;
  at: Date;
}

/** Those that waited until now. */
export async function dismiss(trx: Trx, message: StoredUnmatched, { by, at }: Dismissal): Promise<string[]> {
  const found = await rows<{ id: string }>(
    trx,
    `UPDATE inbound_messages SET dismissed_at = :at, dismissed_by = :by
     WHERE ${TOGETHER} AND linked_at IS NULL AND dismissed_at IS NULL RETURNING communication_id AS id`,
    { ...sameAs(message), by, at },
  );
  return found.map(({ id }) => id);
}

/** Those that were dismissed until now. */
export async function restore(trx: Trx, message: StoredUnmatched): Promise<string[]> {
  const found = await rows<{ id: string }>(
    trx,
    `UPDATE inbound_messages SET dismissed_at = NULL, dismissed_by = NULL
     WHERE ${TOGETHER} AND dismissed_at IS NOT NULL RETURNING communication_id AS id`,
    sameAs(message),
  );
  return found.map(({ id }) => id);
}

/** All that stand where this one does, and for its reason. */
export async function togetherWith(db: Db | Trx, message: StoredUnmatched): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    `SELECT communication_id AS id FROM inbound_messages
     WHERE ${TOGETHER} AND (dismissed_at IS NULL) = :waits ORDER BY occurred_at, communication_id`,
    { ...sameAs(message), waits: message.dismissed_at === null },
  );
  return found.map(({ id }) => id);
}

/** All that were linked at once and are still where the link put them. */
export async function lockLinked(trx: Trx, linkId: string): Promise<string[]> {
  const found = await rows<{ id: string }>(
    trx,
    `SELECT c.id FROM inbound_messages m JOIN communications c ON c.id = m.communication_id
     WHERE m.link_id = :link AND coalesce(c.written_under, c.customer_id) = m.linked_to ORDER BY c.id FOR UPDATE`,
    { link: linkId },
  );
  return found.map(({ id }) => id);
}

/** All that came later and are where they are by nothing but this link. */
export async function lockFollowing(trx: Trx, { id }: Link): Promise<FollowingMessage[]> {
  return rows<FollowingMessage>(
    trx,
    `SELECT c.id AS communication_id, c.type, c.sender, utc_text(c.occurred_at) AS occurred_at FROM communications c
     WHERE c.placed_by = :id ORDER BY c.id FOR UPDATE`,
    { id },
  );
}

export async function taughtBy(db: Db | Trx, linkId: string): Promise<SenderIdentifier[]> {
  return db<Learned>('identifiers').where({ link_id: linkId }).select('kind', 'value');
}

export async function isLearnedBy(db: Db | Trx, linkId: string): Promise<boolean> {
  return (await taughtBy(db, linkId)).length > 0;
}
