import type { CustomerCard } from '@ops/contracts/internal-routes';
import { InternalCallError } from '@ops/service-kit/internal-client';
import type { Deps } from './deps.ts';

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
export const cardsOf = ({ customers }: Asked, ids: readonly string[]): Promise<CustomerCard[] | undefined> =>
  customers.cards(ids).catch((error: unknown) => {
    if (!(error instanceof InternalCallError)) throw error;
    return undefined;
  });
