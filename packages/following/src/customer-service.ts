import type { EventOf } from '@ops/contracts/events';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import type { Customers } from './customer-client.ts';
import { type FollowedCustomer, findUnheard, noteUnknown } from './customer-store.ts';
import { newestOfEach } from './newest-of-each.ts';

export { agentOf, type FollowedCustomer, keepNewer } from './customer-store.ts';

/** What is told of customers, of each the newest. */
export const toldIn = (changed: readonly EventOf<'customer.changed'>[]): FollowedCustomer[] =>
  newestOfEach(
    changed.map(({ data: { customer_id, assigned_agent, version } }) => ({ customer_id, assigned_agent, version })),
    ({ customer_id }) => customer_id,
  );

/** As many as are asked for at once. */
const mostAtOnce = 200;

/**
 * Asks for customers who were there before anybody followed them, until none is left: what is told of a customer later
 * comes by itself. `follow` takes in what was answered, as it does what is told.
 */
export async function askForUnheard(
  customers: Customers,
  db: Db,
  follow: (trx: Trx, facts: readonly FollowedCustomer[]) => Promise<void>,
  goesOn = () => true,
): Promise<void> {
  while (goesOn()) {
    const ids = await findUnheard(db, mostAtOnce);
    if (ids.length === 0) return;
    const cards = await customers.cards(ids);
    const facts = cards.flatMap(({ id, assigned_agent, version }) =>
      version === undefined ? [] : [{ customer_id: id, assigned_agent, version }],
    );
    // The version before of comms-service says none: its successor is asked in a while.
    if (facts.length < cards.length) return;
    await inTransaction(db, async (trx) => {
      await follow(trx, facts);
      await noteUnknown(trx, ids);
    });
  }
}
