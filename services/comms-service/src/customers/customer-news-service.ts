import type { Trx } from '@ops/service-kit/database';
import { homesOf } from '../aliases/alias-service.ts';
import type { Deps } from '../deps.ts';
import { customerChanged, toCustomer } from './customer.rules.ts';
import { findCustomers, raiseVersions } from './customer-store.ts';

/** What messages change of customers (identifiers, opt-outs) is a change like any other: a version and an event, of whom each id leads to. */
export async function announceCustomers({ outbox, now }: Deps, trx: Trx, ids: Iterable<string>): Promise<void> {
  const asked = [...new Set(ids)];
  if (asked.length === 0) return;
  const changed = [...new Set((await homesOf(trx, asked)).values())];
  await raiseVersions(trx, changed, now());
  const customers = await findCustomers(trx, changed);
  await outbox.addMany(
    trx,
    customers.map((one) => ({ type: 'customer.changed' as const, data: customerChanged(toCustomer(one)) })),
  );
}
