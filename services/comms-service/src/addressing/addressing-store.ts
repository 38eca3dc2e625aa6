import { type Db, firstRow, rows, type Trx } from '@ops/service-kit/database';
import type { AnsweredWriter, Writer, Written } from './recipient.rules.ts';

/**
 * The messages each of these customers wrote by the messaging app since then, newest first, one of each writer. Of what no provider
 * brought the writer is not known: it may be anybody of the customer in whose log it was written down, and once moved
 * elsewhere it is nobody's. What was said in a group, or before we listened, was not written to us.
 */
export async function writtenSince(
  db: Db | Trx,
  customerIds: readonly string[],
  since: Date,
): Promise<Map<string, Written[]>> {
  if (customerIds.length === 0) return new Map();
  const written = await rows<Written & { customer_id: string }>(
    db,
    `SELECT c.customer_id, utc_text(max(c.occurred_at)) AS at, c.sender AS writer FROM communications c
     WHERE c.customer_id = ANY (CAST(:customer_ids AS text[])) AND c.type = 'MESSAGING_APP' AND c.direction = 'INBOUND'
       AND c.occurred_at > :since AND NOT c.imported AND c.group_id IS NULL
       AND (c.sender IS NOT NULL OR c.customer_id = coalesce(
         (SELECT coalesce(k.leads_to, k.id) FROM communication_history h JOIN customers k ON k.id = h.details ->> 'from'
          WHERE h.communication_id = c.id AND h.change = 'moved' ORDER BY h.at, h.id LIMIT 1),
         c.customer_id))
     GROUP BY c.customer_id, c.sender ORDER BY max(c.occurred_at) DESC, max(c.id::text) DESC`,
    { customer_ids: customerIds, since },
  );
  return Map.groupBy(written, ({ customer_id }) => customer_id);
}

/** Who wrote this message of the customer, and where they want answers; nobody, if we did. A forged one says neither. */
export async function writerOf(db: Db | Trx, customerId: string, id: string): Promise<AnsweredWriter | null> {
  const message = await firstRow<{ sender: Writer | null; reply_to: string | null }>(
    db,
    `SELECT sender, reply_to FROM communications
     WHERE id = :id AND customer_id = :customer_id AND direction = 'INBOUND'
       AND sender_verified IS DISTINCT FROM 'fail'`,
    { id, customer_id: customerId },
  );
  return message?.sender ? { ...message.sender, reply_to: message.reply_to } : null;
}
