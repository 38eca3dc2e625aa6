import { internalRoutes } from '@ops/contracts/internal-routes';
import type { InternalClient } from '@ops/service-kit/internal-client';

/** What notifier is asked about agents; rejects with an InternalCallError. */
export interface Agents {
  /** Those of these who are agents, in any order and number. */
  known(ids: readonly string[]): Promise<string[]>;
}

/** As many as one call takes. */
const mostAtOnce = 1_000;

export const agentsOver = (client: InternalClient): Agents => ({
  async known(ids) {
    const known: string[] = [];
    for (let from = 0; from < ids.length; from += mostAtOnce) {
      const body = { ids: ids.slice(from, from + mostAtOnce) };
      known.push(...(await client.ask('notifier', internalRoutes.readKnownAgents, { body })).data);
    }
    return known;
  },
});
