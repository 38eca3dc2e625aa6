import { execute, firstRow, rows, type Trx } from '@ops/service-kit/database';
import type { StoredCustomer } from './customer.rules.ts';
import type { Filled } from './filling.rules.ts';

/** A customer who is another one by now. */
export interface FillingAlias {
  customer_id: string;
  merged_into: string;
  filled: Filled;
}

const FILLING = 'SELECT customer_id, merged_into, filled FROM customer_aliases WHERE merged_into IS NOT NULL';

export async function findFilling(trx: Trx, id: string): Promise<FillingAlias | undefined> {
  return firstRow<FillingAlias>(trx, `${FILLING} AND customer_id = :id`, { id });
}

/** In the order in which they came. */
export async function fillingsOf(trx: Trx, survivor: string): Promise<FillingAlias[]> {
  return rows<FillingAlias>(trx, `${FILLING} AND merged_into = :survivor ORDER BY merged_at, customer_id`, {
    survivor,
  });
}

export async function saveFilled(trx: Trx, customer_id: string, filled: Filled): Promise<void> {
  await trx('customer_aliases')
    .where({ customer_id })
    .update({ filled: JSON.stringify(filled) });
}

/** Whatever these gave of it is no more from them. */
export async function keepOwn(trx: Trx, survivors: readonly string[], fields: readonly string[]): Promise<void> {
  await execute(
    trx,
    `UPDATE customer_aliases SET filled = filled - CAST(:fields AS text[])
     WHERE merged_into = ANY (CAST(:survivors AS text[]))`,
    { survivors, fields },
  );
}

export async function saveFacts(trx: Trx, customer: StoredCustomer): Promise<void> {
  const { id, locale, time_zone, assigned_agent, preferred_channel, do_not_contact, sources } = customer;
  const facts = { locale, time_zone, assigned_agent, preferred_channel, do_not_contact };
  await trx('customers')
    .where({ id })
    .update({ ...facts, sources: JSON.stringify(sources) });
}
