import { rows, type Trx } from '@ops/service-kit/database';
import type { OptOutRow } from './opt-out.rules.ts';

/** Gives back those that were not kept yet. What a message decided stays with it, under whichever id it was written. */
export async function insertOptOuts(trx: Trx, decided: readonly OptOutRow[]): Promise<OptOutRow[]> {
  if (decided.length === 0) return [];
  const inserted = trx<OptOutRow>('opt_outs').insert([...decided]);
  const fresh = await inserted.onConflict(['id', 'address']).ignore().returning('*');
  await carryOptOuts(
    trx,
    fresh.flatMap(({ communication_id, customer_id }) => (customer_id === null ? [] : (communication_id ?? []))),
  );
  return fresh;
}

/**
 * These records belong to another customer now, or to nobody; tells whether that changes anybody's wishes. What is known of
 * an address stays with it; the version before looks at the customer alone.
 */
export async function carryOptOuts(trx: Trx, records: readonly string[]): Promise<boolean> {
  if (records.length === 0) return false;
  const carried = await rows<Pick<OptOutRow, 'address'>>(
    trx,
    `UPDATE opt_outs o SET customer_id = c.customer_id, written_under = c.written_under
     FROM communications c WHERE c.id = o.communication_id AND c.id = ANY (CAST(:records AS uuid[]))
     RETURNING o.address`,
    { records },
  );
  return carried.some(({ address }) => address === '');
}

/** Whose mail from us bears one of these ids, and went to somebody with this address. */
export async function mailedTo(trx: Trx, email: string, ids: readonly string[]): Promise<string | undefined> {
  const found = await rows<{ id: string }>(
    trx,
    `SELECT c.id FROM communications c
     WHERE c.provider_message_id = ANY (CAST(:ids AS text[])) AND c.type = 'EMAIL' AND c.direction = 'OUTBOUND'
       AND EXISTS (SELECT 1 FROM identifiers i
                   WHERE i.kind = 'email' AND i.value = :email AND i.customer_id = ANY (ids_of(c.customer_id)))
     LIMIT 1`,
    { ids, email },
  );
  return found[0]?.id;
}
