import { describe, leadsTo } from '@ops/following/merge-service';
import type { Db } from '@ops/service-kit/database';
import { notFound } from '@ops/service-kit/errors';
import { InternalCallError } from '@ops/service-kit/internal-client';
import type { Deps } from '../deps.ts';
import { hasRenewals } from './customer-store.ts';

type Asked = Pick<Deps, 'customers'>;

/** A list is worth reading without names too: while comms-service is away it shows whose a renewal is by id alone. */
export async function namesOf(
  { customers }: Asked,
  renewals: readonly { customer_id: string }[],
): Promise<Map<string, string>> {
  if (renewals.length === 0) return new Map();
  const cards = await customers.cards(renewals.map(({ customer_id }) => customer_id)).catch(withoutNames);
  return new Map(cards?.map(({ id, name }) => [id, name]));
}

/** Undefined: comms-service is away. */
const withoutNames = (error: unknown): undefined => {
  if (!(error instanceof InternalCallError)) throw error;
};

/**
 * What there is of a customer, whichever of their ids is asked for. Whoever has nothing here may be nobody at all, or another
 * one, of which we have not heard yet. While comms-service is away nobody can say, and nothing is all there is.
 */
export async function listOf<Row>(
  { customers }: Asked,
  db: Db,
  customerId: string,
  list: (id: string) => Promise<Row[]>,
): Promise<Row[]> {
  const id = await leadsTo(db, customerId);
  const found = await list(id);
  if (found.length > 0 || (await hasRenewals(db, id))) return found;
  const described = await describe(customers, [id]).catch(withoutNames);
  if (!described) return found;
  const card = described.cards.get(id);
  if (!card) throw notFound(`There is no customer ${customerId}`);
  return card.id === id ? found : list(card.id);
}
