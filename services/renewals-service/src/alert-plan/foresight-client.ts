import { internalRoutes } from '@ops/contracts/internal-routes';
import type { InternalClient } from '@ops/service-kit/internal-client';
import type { Alerts } from './foresight-service.ts';

export const alertsOver = (client: InternalClient): Alerts => ({
  foresee: async (awaited) =>
    (await client.ask('notifier', internalRoutes.foreseeAlerts, { body: { data: [...awaited] } })).data,
});
