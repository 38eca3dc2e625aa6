import { startConsumer } from '@ops/bus/consumer';
import type { Subscription } from '@ops/bus/port';
import type { ServiceParts } from '@ops/service-kit/service';
import type { SendingDeps } from '../deps.ts';
import { topology } from '../topology.ts';
import { queueDeliveries } from './delivery-service.ts';

/** `queued`: there may be something to send. */
export function consumeQueued(
  deps: SendingDeps,
  { db, bus, logger }: ServiceParts,
  queued: () => void,
): Promise<Subscription> {
  return startConsumer({
    db,
    bus,
    logger,
    queue: topology.queues.communicationSend,
    handle: (trx, events) => queueDeliveries(deps, trx, events),
    committed: queued,
  });
}
