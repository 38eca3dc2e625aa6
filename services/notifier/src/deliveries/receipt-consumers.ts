import { startConsumer } from '@ops/bus/consumer';
import type { Subscription } from '@ops/bus/port';
import type { ServiceParts } from '@ops/service-kit/service';
import type { Deps } from '../deps.ts';
import { topology } from '../topology.ts';
import { matchReceipts } from './receipt-service.ts';

export function consumeReceipts(deps: Deps, { db, bus, logger, http }: ServiceParts): Promise<Subscription> {
  return startConsumer({
    db,
    bus,
    logger,
    queue: topology.queues.receiptMatch,
    handle: (trx, events) => matchReceipts(deps, trx, events),
    committed: http.committed,
  });
}
