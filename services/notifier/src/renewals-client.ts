import { internalRoutes } from '@ops/contracts/internal-routes';
import type { InternalClient } from '@ops/service-kit/internal-client';
import { askTogether } from './asking-client.ts';
import type { Renewals } from './deps.ts';

export const renewalsOver = (client: InternalClient): Renewals => ({
  standing: askTogether({
    one: (id: string) => client.ask('renewals-service', internalRoutes.readRenewalStanding, { params: { id } }),
    several: async (ids) =>
      (await client.ask('renewals-service', internalRoutes.readRenewalStandings, { body: { ids: [...ids] } })).data,
  }),
});
