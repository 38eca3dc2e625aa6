import { internalRoutes } from '@ops/contracts/internal-routes';
import { serviceNames } from '@ops/contracts/routes';
import type { InternalClient } from '@ops/service-kit/internal-client';
import type { Eraser, ErasingDeps } from './erasure-service.ts';

/** Every service, this one without a detour. */
export const erasersOf = (own: Eraser, others: InternalClient): Eraser[] =>
  serviceNames.map((service) =>
    service === own.service
      ? own
      : { service, apply: (order) => others.ask(service, internalRoutes.applyErasure, { body: order }) },
  );

export const renewalsOver = (others: InternalClient): Pick<ErasingDeps, 'hasActiveRenewal'> => ({
  async hasActiveRenewal(ids) {
    const body = { customer_ids: [...ids] };
    return (await others.ask('renewals-service', internalRoutes.readNextRenewals, { body })).data.length > 0;
  },
});
