import type { Trx } from '@ops/service-kit/database';

/** A message that says whether machines may write on its channel; whose it is goes with the message. */
export interface OptOut {
  communication_id: string;
  customer_id: string | null;
  channel: string;
  opted_out: boolean;
  decided_at: string;
}

export async function insertOptOuts(trx: Trx, decided: readonly OptOut[]): Promise<void> {
  if (decided.length > 0) await trx('opt_outs').insert([...decided]);
}

/** Gives what these records decided to another customer, or to nobody; tells whether there was anything to give. */
export async function carryOptOuts(trx: Trx, records: readonly string[], customerId: string | null): Promise<boolean> {
  const carried = await trx('opt_outs')
    .whereIn('communication_id', [...records])
    .update({ customer_id: customerId });
  return carried > 0;
}
