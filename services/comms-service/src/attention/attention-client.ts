import { internalRoutes } from '@ops/contracts/internal-routes';
import { InternalCallError, type InternalClient } from '@ops/service-kit/internal-client';
import type { AttentionDeps } from './attention-service.ts';

/** Who answers customers needs the list more than the dates in it: while they cannot be had, it goes without. */
export const nextRenewalsOver =
  (others: InternalClient): AttentionDeps['nextRenewals'] =>
  async (customerIds) => {
    if (customerIds.length === 0) return [];
    const body = { customer_ids: [...customerIds] };
    try {
      return (await others.ask('renewals-service', internalRoutes.readNextRenewals, { body })).data;
    } catch (error) {
      if (error instanceof InternalCallError) return undefined;
      throw error;
    }
  };
