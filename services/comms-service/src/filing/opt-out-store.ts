import { rows, type Trx } from '@ops/service-kit/database';
import type { OptOutRow } from './opt-out.rules.ts';

/** Gives back those that were not kept yet. */
export async function insertOptOuts(trx: Trx, decided: readonly OptOutRow[]): Promise<OptOutRow[]> {
  if (decided.length === 0) return [];
  const inserted = trx<OptOutRow>('opt_outs').insert([...decided]);
  return inserted.onConflict(['id', 'address']).ignore().returning('*');
}

/**
 * These records belong to another customer now, or to nobody; tells whether that changes anybody's wishes. What is known of
 * an address stays with it; the version before looks at the customer alone.
 */
export async function carryOptOuts(trx: Trx, records: readonly string[], customerId: string | null): Promise<boolean> {
  const carried = await trx<OptOutRow>('opt_outs')
    .whereIn('communication_id', [...records])
    .update({ customer_id: customerId })
    .returning('address');
  return carried.some(({ address }) => address === '');
}

/** Whose mail from us bears one of these ids, and went to somebody with this address. */
export async function mailedTo(trx: Trx, email: string, ids: readonly string[]): Promise<string | undefined> {
  const found = await rows<{ id: string }>(
    trx,
    `SELECT c.id FROM communications c
     WHERE c.provider_message_id = ANY (CAST(:ids AS text[])) AND c.type = 'EMAIL' AND c.direction = 'OUTBOUND'
       AND EXISTS (SELECT 1 FROM identifiers i
                   WHERE i.customer_id = c.customer_id AND i.kind = 'email' AND i.value = :email)
     LIMIT 1`,
    { ids, email },
  );
  return found[0]?.id;
}
