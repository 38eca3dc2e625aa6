import { internalRoutes } from '@ops/contracts/internal-routes';
import type { InternalClient } from '@ops/service-kit/internal-client';
import type { AlertPlans } from './plan-service.ts';

export const alertPlansOver = (client: InternalClient): AlertPlans => ({
  read: () => client.ask('notifier', internalRoutes.readAlertPlan, {}),
});
