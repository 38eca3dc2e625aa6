import { internalRoutes } from '@ops/contracts/internal-routes';
import { serviceNames } from '@ops/contracts/routes';
import type { InternalClient } from '@ops/service-kit/internal-client';
import type { Retention } from '@ops/service-kit/retention';
import type { Holder } from './retention-service.ts';

/** Every service, this one without a detour. */
export const holdersOf = (own: Retention, others: InternalClient): Holder[] =>
  serviceNames.map((service) => ({
    service,
    apply: (order) =>
      service === 'comms-service'
        ? own.apply(order)
        : others.ask(service, internalRoutes.applyRetention, { body: order }),
  }));
