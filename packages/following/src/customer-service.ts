import type { EventOf } from '@ops/contracts/events';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import type { Customers } from './customer-client.ts';
import { type FollowedCustomer, findUnheard, noteUnknown } from './customer-store.ts';
import type { Merge } from './merge-store.ts';
import { newestOfEach } from './newest-of-each.ts';

export { agentOf, type FollowedCustomer, keepNewer } from './customer-store.ts';

/** What is known anew of customers. */
export interface Told {
  facts: readonly FollowedCustomer[];
  /** Whose their ids are. */
  merges: readonly Merge[];
}

/** Of each customer and id the newest. */
export function toldIn(events: readonly EventOf<'customer.changed' | 'customer.merged'>[]): Told {
  const facts = events.flatMap((event) => {
    if (event.type !== 'customer.changed') return [];
    const { customer_id, assigned_agent, version } = event.data;
    return [{ customer_id, assigned_agent, version }];
  });
  const merges = events.flatMap(({ type, data }) => {
    if (type !== 'customer.merged') return [];
    const { customer_id, into, version } = data;
    return [{ customer_id, into, version }];
  });
  return { facts: newestOfEach(facts, idOf), merges: newestOfEach(merges, idOf) };
}

const idOf = ({ customer_id }: { customer_id: string }): string => customer_id;

/** As many as are asked for at once. */
const mostAtOnce = 200;

/**
 * Asks for customers who were there before anybody followed them, until none is left: what is told of a customer later
 * comes by itself. `follow` takes in what was answered, as it does what is told.
 */
export async function askForUnheard(
  customers: Customers,
  db: Db,
  follow: (trx: Trx, told: Told) => Promise<void>,
  goesOn = () => true,
): Promise<void> {
  while (goesOn()) {
    const ids = await findUnheard(db, mostAtOnce);
    if (ids.length === 0) return;
    const cards = await customers.cards(ids);
    const merges = cards.flatMap(({ id, merged }) => (merged ? { customer_id: id, ...merged } : []));
    // What an id says that is another's is theirs; should it be its own again, it is told of.
    const own = cards.filter(({ merged }) => !merged?.into);
    const facts = own.flatMap(({ id, assigned_agent, version }) =>
      version === undefined ? [] : [{ customer_id: id, assigned_agent, version }],
    );
    // The version before of comms-service says none: its successor is asked in a while.
    if (facts.length < own.length) return;
    await inTransaction(db, async (trx) => {
      await follow(trx, { facts, merges });
      await noteUnknown(trx, ids);
    });
  }
}
