import { internalRoutes } from '@ops/contracts/internal-routes';
import type { InternalClient } from '@ops/service-kit/internal-client';
import type { DeliveryDeps } from './delivery-service.ts';

export const overtakingOver =
  (others: InternalClient): DeliveryDeps['overtaking'] =>
  async (id) =>
    (await others.ask('notifier', internalRoutes.readOvertaking, { params: { id } })).overtaken;
