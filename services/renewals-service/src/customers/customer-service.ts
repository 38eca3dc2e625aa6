import type { CustomerCard } from '@ops/contracts/internal-routes';
import type { Db } from '@ops/service-kit/database';
import { notFound } from '@ops/service-kit/errors';
import { InternalCallError } from '@ops/service-kit/internal-client';
import type { Deps } from '../deps.ts';
import { hasRenewals } from './customer-store.ts';

type Asked = Pick<Deps, 'customers'>;

/** A list is worth reading without names too: while comms-service is away it shows whose a renewal is by id alone. */
export async function namesOf(deps: Asked, renewals: readonly { customer_id: string }[]): Promise<Map<string, string>> {
  if (renewals.length === 0) return new Map();
  const cards = await cardsOf(
    deps,
    renewals.map(({ customer_id }) => customer_id),
  );
  return new Map(cards?.map(({ id, name }) => [id, name]));
}

/** Undefined: comms-service is away. */
const cardsOf = ({ customers }: Asked, ids: readonly string[]): Promise<CustomerCard[] | undefined> =>
  customers.cards(ids).catch((error: unknown) => {
    if (!(error instanceof InternalCallError)) throw error;
    return undefined;
  });

/** Whoever has nothing here may be nobody at all. While comms-service is away nobody can say, and nothing is all there is. */
export async function requireKnown(deps: Asked, db: Db, customerId: string): Promise<void> {
  if (await hasRenewals(db, customerId)) return;
  const cards = await cardsOf(deps, [customerId]);
  if (cards?.length === 0) throw notFound(`There is no customer ${customerId}`);
}
