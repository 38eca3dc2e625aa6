import type { EventData } from '@ops/contracts/events';
import { rows, type Trx } from '@ops/service-kit/database';

/** Those of these records that staff wrote on the phone, as the event that tells of them. */
export async function echoesOf(trx: Trx, records: readonly string[]): Promise<EventData<'communication.echoed'>[]> {
  return rows<EventData<'communication.echoed'>>(
    trx,
    `SELECT c.customer_id, c.id AS communication_id, c.type, c.provider, c.provider_message_id,
            utc_text(c.occurred_at) AS occurred_at
     FROM communications c
     WHERE c.id = ANY (CAST(:records AS uuid[])) AND c.phone_app AND c.customer_id IS NOT NULL
     ORDER BY c.occurred_at, c.id`,
    { records },
  );
}
