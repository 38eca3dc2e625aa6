import { internalRoutes } from '@ops/contracts/internal-routes';
import type { InternalClient } from '@ops/service-kit/internal-client';
import type { Renewals } from './deps.ts';

export const renewalsOver = (client: InternalClient): Renewals => ({
  standing: (id) => client.ask('renewals-service', internalRoutes.readRenewalStanding, { params: { id } }),
});
