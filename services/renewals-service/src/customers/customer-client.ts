import { internalRoutes } from '@ops/contracts/internal-routes';
import type { InternalClient } from '@ops/service-kit/internal-client';
import type { Customers } from '../deps.ts';

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
