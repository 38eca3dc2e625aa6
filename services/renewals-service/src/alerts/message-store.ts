import type { Trx } from '@ops/service-kit/database';
import type { MessageStatement } from './statement.rules.ts';

/**
 * One query however many, in the order of their ids, so that two consumers do not wait for each other. The newest
 * statement stays, in whatever order they come; of one moment that of the later event, since a message that is moved is told
 * of twice.
 */
export async function saveMessages(trx: Trx, statements: readonly MessageStatement[]): Promise<void> {
  if (statements.length === 0) return;
  await trx.raw(
    `INSERT INTO linked_messages AS m (communication_id, renewal_id, type, direction, status, in_reply_to, occurred_at,
                                       told_at, told_id)
     SELECT DISTINCT ON (w.communication_id)
            w.communication_id, w.renewal_id, w.type, w.direction, w.status, w.in_reply_to, w.occurred_at, w.told_at,
            w.told_id
     FROM jsonb_to_recordset(CAST(:statements AS jsonb)) AS w (
       communication_id uuid, renewal_id uuid, type text, direction text, status text, in_reply_to uuid,
       occurred_at timestamptz, told_at timestamptz, told_id text)
     ORDER BY w.communication_id, w.told_at DESC, w.told_id COLLATE "C" DESC
     ON CONFLICT (communication_id) DO UPDATE
        SET renewal_id = excluded.renewal_id, type = excluded.type, direction = excluded.direction,
            status = excluded.status, in_reply_to = excluded.in_reply_to, occurred_at = excluded.occurred_at,
            told_at = excluded.told_at, told_id = excluded.told_id
      WHERE (m.told_at, m.told_id) < (excluded.told_at, excluded.told_id)`,
    { statements: JSON.stringify(statements) },
  );
}
