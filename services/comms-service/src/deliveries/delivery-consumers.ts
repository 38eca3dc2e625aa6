import { startConsumer } from '@ops/bus/consumer';
import type { Subscription } from '@ops/bus/port';
import type { ServiceParts } from '@ops/service-kit/service';
import type { Deps } from '../deps.ts';
import { topology } from '../topology.ts';
import { takeDeliveryUpdates } from './delivery-service.ts';

export function consumeDeliveryUpdates({ db, bus, logger, http }: ServiceParts, deps: Deps): Promise<Subscription> {
  return startConsumer({
    db,
    bus,
    logger,
    queue: topology.queues.deliveryStatus,
    handle: (trx, events) => takeDeliveryUpdates(deps, trx, events),
    committed: http.committed,
  });
}
