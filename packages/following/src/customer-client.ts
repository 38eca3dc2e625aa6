import { type CustomerCard, internalRoutes } from '@ops/contracts/internal-routes';
import type { InternalClient } from '@ops/service-kit/internal-client';

/** What comms-service is asked about customers; rejects with an InternalCallError. */
export interface Customers {
  /** Those of these that exist, in any order and number. */
  cards(ids: readonly string[]): Promise<CustomerCard[]>;
}

/** As many as one call takes. */
const mostAtOnce = 200;

export const customersOver = (client: InternalClient): Customers => ({
  async cards(ids) {
    const asked = [...new Set(ids)];
    const pages = Array.from({ length: Math.ceil(asked.length / mostAtOnce) }, (_, page) =>
      asked.slice(page * mostAtOnce, (page + 1) * mostAtOnce),
    );
    const answers = await Promise.all(
      pages.map((page) => client.ask('comms-service', internalRoutes.readCustomerCards, { body: { ids: page } })),
    );
    return answers.flatMap(({ data }) => data);
  },
});
