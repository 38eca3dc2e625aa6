import type { Trx } from '@ops/service-kit/database';
import { findHolders } from './identifier-store.ts';
import { identifierIn, type OptOutRow } from './opt-out.rules.ts';
import { insertOptOuts } from './opt-out-store.ts';

export { carryOptOuts, mailedTo } from './opt-out-store.ts';

/** Keeps what was decided about messages of machines; gives back the customers whose addresses it is about. */
export async function heedOptOuts(trx: Trx, decided: readonly OptOutRow[]): Promise<string[]> {
  const fresh = await insertOptOuts(trx, decided);
  const whole = fresh.filter(({ address }) => address === '').flatMap(({ customer_id }) => customer_id ?? []);
  const addresses = fresh.flatMap(({ address }) => identifierIn(address) ?? []);
  if (addresses.length === 0) return whole;
  return [...whole, ...(await findHolders(trx, addresses)).map((holder) => holder.customer_id)];
}
