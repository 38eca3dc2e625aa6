import { execute, rows, type Trx } from '@ops/service-kit/database';
import type { AnybodysRecord } from '../records/communication-events.ts';
import { TOLD_COLUMNS } from '../records/record-columns.ts';

/** That there was a file, of what kind and how large, stays known. */
const NO_FILE = `
  state = 'REDACTED', content = NULL, page = NULL, page_rules = NULL, name = NULL, content_id = NULL, ref = NULL, failure = NULL, next_try_at = NULL`;

export async function redactFiles(trx: Trx, ids: string[]): Promise<void> {
  await execute(trx, `UPDATE attachments SET ${NO_FILE} WHERE id = ANY (CAST(? AS uuid[]))`, [ids]);
}

/** Only those that still belong to no communication: one may just have been written that takes it along. */
export async function deleteUploads(trx: Trx, ids: string[]): Promise<void> {
  await trx('attachments').whereIn('id', ids).delete();
}

export async function deleteChanges(trx: Trx, ids: string[]): Promise<void> {
  await trx('message_changes').whereIn('id', ids).delete();
}

/** A newer decision about the same address, or about the same customer, is there. */
export const OVERRULED = `(
  EXISTS (SELECT 1 FROM opt_outs n
          WHERE n.address = o.address AND n.address <> '' AND n.channel = o.channel
            AND (n.decided_at, n.id) > (o.decided_at, o.id))
  OR EXISTS (SELECT 1 FROM opt_outs n
             WHERE n.customer_id = o.customer_id AND n.address = '' AND o.address = '' AND n.channel = o.channel
               AND (n.decided_at, n.id) > (o.decided_at, o.id)))`;

/** What stands is kept without its reason, for as long as it stands: forgetting an opt-out would be to overrule it. */
export async function forgetOptOuts(trx: Trx, places: string[]): Promise<void> {
  await execute(trx, `DELETE FROM opt_outs o WHERE o.ctid = ANY (CAST(:places AS tid[])) AND ${OVERRULED}`, { places });
  await execute(trx, 'UPDATE opt_outs SET reason = NULL WHERE ctid = ANY (CAST(:places AS tid[]))', { places });
}

/**
 * One statement, so that no part of a record is left. An edit stays known as one, without its words; a withdrawal has
 * none. Of a sender nobody placed, nothing is left to place it by.
 */
export async function redactRecords(trx: Trx, ids: string[], at: Date): Promise<AnybodysRecord[]> {
  return rows<AnybodysRecord>(
    trx,
    `WITH files AS (
       UPDATE attachments SET ${NO_FILE}
       WHERE communication_id = ANY (CAST(:ids AS uuid[])) AND state <> 'REDACTED'
     ), changes AS (
       DELETE FROM message_changes WHERE communication_id = ANY (CAST(:ids AS uuid[]))
     ), senders AS (
       UPDATE inbound_messages
       SET sender_key = 'redacted:' || communication_id, address = '', phone = NULL, email = NULL, user_id = NULL,
           name = NULL, username = NULL, name_folded = NULL, keys = '{}'
       WHERE communication_id = ANY (CAST(:ids AS uuid[]))
     )
     UPDATE communications c
     SET body = '', subject = NULL, quoted = NULL, sender = NULL, recipient = NULL, reply_to = NULL, group_id = NULL,
         contacts = '[]', place = NULL, reactions = '[]', failure = c.failure - 'detail',
         settled = jsonb_set(c.settled, '{note}', '""'), redacted_at = :at, amendments = (
       SELECT coalesce(jsonb_agg(CASE WHEN e.edit ->> 'body' IS NULL THEN e.edit ELSE jsonb_set(e.edit, '{body}', '""') END
                                 ORDER BY e.n), '[]')
       FROM jsonb_array_elements(c.amendments) WITH ORDINALITY AS e (edit, n))
     WHERE c.id = ANY (CAST(:ids AS uuid[]))
     RETURNING ${TOLD_COLUMNS}`,
    { ids, at },
  );
}
