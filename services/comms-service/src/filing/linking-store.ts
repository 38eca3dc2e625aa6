import { execute, rows, type Trx } from '@ops/service-kit/database';
import type { Link, WaitingMessage } from './filed.rules.ts';
import { NOT_ALONE } from './waiting-columns.ts';

/** One that waits already is known by what is said of its sender now. */
export async function insertWaiting(trx: Trx, messages: readonly WaitingMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const sender = ['sender_key', 'address', 'phone', 'email', 'user_id', 'name', 'username', 'name_folded', 'keys'];
  await trx('inbound_messages')
    .insert([...messages])
    .onConflict('communication_id')
    .merge([...sender, 'occurred_at']);
}

export type WaitingSender = Pick<WaitingMessage, 'communication_id' | 'phone' | 'email' | 'user_id'>;

/** Those that wait for somebody with one of these keys, oldest first; not what was probably written in their name. */
export async function lockWaitingFor(trx: Trx, keys: readonly string[]): Promise<WaitingSender[]> {
  return rows<WaitingSender>(
    trx,
    `SELECT m.communication_id, m.phone, m.email, m.user_id FROM inbound_messages m
     WHERE m.linked_at IS NULL AND m.reason <> 'unverified' AND ${NOT_ALONE} AND m.keys && CAST(:keys AS text[])
     ORDER BY m.occurred_at, m.communication_id FOR UPDATE`,
    { keys },
  );
}

const undismissed = { dismissed_at: null, dismissed_by: null };

/** What just came of an unknown sender whom somebody dismissed goes to what that sender wrote before. */
export async function followDismissal(trx: Trx, arrived: readonly string[]): Promise<void> {
  if (arrived.length === 0) return;
  await execute(
    trx,
    `UPDATE inbound_messages m SET dismissed_at = d.dismissed_at, dismissed_by = d.dismissed_by
     FROM unnest(CAST(:arrived AS uuid[])) AS a (id)
     JOIN inbound_messages n ON n.communication_id = a.id
     CROSS JOIN LATERAL (
       SELECT o.dismissed_at, o.dismissed_by FROM inbound_messages o
       WHERE o.type = n.type AND o.sender_key = n.sender_key AND o.linked_at IS NULL
         AND o.dismissed_at IS NOT NULL AND o.reason = 'unknown' LIMIT 1) d
     WHERE m.communication_id = n.communication_id AND n.reason = 'unknown' AND n.linked_at IS NULL`,
    { arrived },
  );
}

/** Puts the records into the customer's log: there they have arrived now, whenever they were written. */
export async function giveTo(trx: Trx, link: Link, records: readonly string[]): Promise<void> {
  await trx('communications')
    .whereIn('id', [...records])
    .update({ customer_id: link.customer, filed_at: link.at });
  await trx('inbound_messages')
    .whereIn('communication_id', [...records])
    .update({ link_id: link.id, linked_to: link.customer, linked_by: link.by, linked_at: link.at, ...undismissed });
}

/** Takes them out of it again: nobody who may know whose they are has read them, and what a machine wrote waits for nobody. */
export async function takeFrom(trx: Trx, records: readonly string[]): Promise<void> {
  const untied = { renewal_id: null, other_renewal_ids: [], in_reply_to: null };
  const nobodys = { ...untied, customer_id: null, filed_at: null, placed_by: null };
  await trx('communications')
    .whereIn('id', [...records])
    .update({ ...nobodys, unread: trx.raw<boolean>("direction = 'INBOUND' AND NOT automatic") });
  await trx('inbound_messages')
    .whereIn('communication_id', [...records])
    .update({ link_id: null, linked_to: null, linked_by: null, linked_at: null });
  await trx('timeline')
    .whereIn('communication_id', [...records])
    .delete();
}
