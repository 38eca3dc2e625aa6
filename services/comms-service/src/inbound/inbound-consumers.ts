import { startConsumer } from '@ops/bus/consumer';
import type { Subscription } from '@ops/bus/port';
import type { ServiceParts } from '@ops/service-kit/service';
import type { Deps } from '../deps.ts';
import { topology } from '../topology.ts';
import { takeIn } from './inbound-service.ts';

/** What providers deliver comes into the log, many messages in one transaction. */
export function consumeProviderMessages({ db, bus, logger, http }: ServiceParts, deps: Deps): Promise<Subscription> {
  return startConsumer({
    db,
    bus,
    logger,
    queue: topology.queues.providerMessages,
    handle: (trx, events) => takeIn(deps, trx, events),
    committed: http.committed,
  });
}
