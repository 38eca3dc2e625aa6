import { rows, type Trx } from '@ops/service-kit/database';

/** Far enough for a mail program to find the thread, and the chain may come from outside. */
const mostSteps = 20;

/** The provider's ids of a record, of the one it answers, and so on back. */
export async function answeredIds(trx: Trx, id: string): Promise<{ step: number; provider_message_id: string }[]> {
  return rows<{ step: number; provider_message_id: string }>(
    trx,
    `WITH RECURSIVE answered AS (
       SELECT c.in_reply_to, c.provider_message_id, 1 AS step FROM communications c WHERE c.id = :id
       UNION ALL
       SELECT c.in_reply_to, c.provider_message_id, a.step + 1
       FROM answered a JOIN communications c ON c.id = a.in_reply_to WHERE a.step < :most
     )
     SELECT step, provider_message_id FROM answered WHERE provider_message_id IS NOT NULL`,
    { id, most: mostSteps },
  );
}
