import { startConsumer } from '@ops/bus/consumer';
import type { Subscription } from '@ops/bus/port';
import type { ServiceParts } from '@ops/service-kit/service';
import type { Deps } from '../deps.ts';
import { topology } from '../topology.ts';
import { completed } from './expiry.ts';
import { takePublished } from './upstream-service.ts';

export const consumeUpstream = ({ db, bus, logger, http }: ServiceParts, deps: Deps): Promise<Subscription> =>
  startConsumer({
    db,
    bus,
    logger,
    queue: topology.queues.upstream,
    complete: (event) => (typeof event === 'object' && event !== null ? completed(event, deps.now()) : event),
    handle: (trx, events) => takePublished(deps, trx, events),
    committed: http.committed,
  });
