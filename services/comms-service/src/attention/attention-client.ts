import { internalRoutes } from '@ops/contracts/internal-routes';
import type { InternalClient } from '@ops/service-kit/internal-client';
import type { Others } from './attention-service.ts';

export const askedOver = (others: InternalClient): Others => ({
  async nextRenewals(customerIds) {
    const body = { customer_ids: [...customerIds] };
    return (await others.ask('renewals-service', internalRoutes.readNextRenewals, { body })).data;
  },
  answerBy: async (written) =>
    (await others.ask('notifier', internalRoutes.answerBy, { body: { written: [...written] } })).data,
});
