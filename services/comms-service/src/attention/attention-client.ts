import { internalRoutes } from '@ops/contracts/internal-routes';
import { InternalCallError, type InternalClient } from '@ops/service-kit/internal-client';
import type { Others } from './attention-service.ts';

export const askedOver = (others: InternalClient): Others => ({
  async nextRenewals(customerIds) {
    const body = { customer_ids: [...customerIds] };
    return (await others.ask('renewals-service', internalRoutes.readNextRenewals, { body })).data;
  },
  answerBy: async (written) =>
    (await others.ask('notifier', internalRoutes.answerBy, { body: { written: [...written] } })).data,
});

/** Who answers customers needs the list more than what others know besides: what cannot be had is left out. */
export async function orLeftOut<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof InternalCallError) return undefined;
    throw error;
  }
}
