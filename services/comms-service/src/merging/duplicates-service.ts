import type { CustomerDuplicates } from '@ops/contracts/resources/customer';
import type { Db } from '@ops/service-kit/database';
import { toCustomer } from '../customers/customer.rules.ts';
import { findCustomers, getCustomer } from '../customers/customer-service.ts';
import { holdersOf } from '../filing/matching.rules.ts';
import { holdersFor } from '../filing/placing-service.ts';
import { namesakesOf } from './merging-store.ts';

type Because = CustomerDuplicates['data'][number]['because'][number];

/** More of one customer is a common name, or a number that stands for nobody. */
const most = 20;

/** Those first who have most in common. */
export async function listDuplicates(db: Db, asked: string): Promise<CustomerDuplicates> {
  const { id, name, identifiers } = await getCustomer(db, asked);
  const holders = await holdersFor(db, [{ identifiers, becomes: [] }]);
  const found = new Map<string, Because[]>();
  const add = (other: string, because: Because) => found.set(other, [...(found.get(other) ?? []), because]);
  for (const { kind, value } of identifiers)
    for (const other of holdersOf({ kind, value }, holders)) if (other !== id) add(other, { kind, value });
  for (const other of await namesakesOf(db, id, most)) add(other, { kind: 'name', value: name });
  const likeliest = [...found]
    .sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
    .slice(0, most);
  const ids = likeliest.map(([other]) => other);
  const customers = new Map((await findCustomers(db, ids)).map((one) => [one.id, toCustomer(one)]));
  return {
    data: likeliest.flatMap(([other, because]) => {
      const customer = customers.get(other);
      return customer ? { customer, because } : [];
    }),
  };
}
