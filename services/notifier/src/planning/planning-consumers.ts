import { startConsumer } from '@ops/bus/consumer';
import type { Subscription } from '@ops/bus/port';
import type { ServiceParts } from '@ops/service-kit/service';
import type { Deps } from '../deps.ts';
import { topology } from '../topology.ts';
import { followRenewals } from './following-service.ts';
import type { Carrier } from './planning.rules.ts';
import { planAlerts } from './planning-service.ts';
import { replaceRefused } from './stand-in-service.ts';

const queueOf = {
  messaging: topology.queues.renewalMessaging,
  email: topology.queues.renewalEmail,
  task: topology.queues.renewalTask,
};

export function consumeAlerts(
  deps: Deps,
  { db, bus, logger, http }: ServiceParts,
  carrier: Carrier,
): Promise<Subscription> {
  return startConsumer({
    db,
    bus,
    logger,
    queue: queueOf[carrier],
    handle: (trx, events) => planAlerts(deps, trx, carrier, events),
    committed: http.committed,
  });
}

/** Of all that becomes of sends, what comms-service refused concerns an alert. */
export function consumeRefusals(deps: Deps, { db, bus, logger, http }: ServiceParts): Promise<Subscription> {
  return startConsumer({
    db,
    bus,
    logger,
    queue: topology.queues.deliveryStandIn,
    handle: (trx, events) => replaceRefused(deps, trx, events),
    committed: http.committed,
  });
}

export function consumeRenewalChanges(deps: Deps, { db, bus, logger, http }: ServiceParts): Promise<Subscription> {
  return startConsumer({
    db,
    bus,
    logger,
    queue: topology.queues.renewalFollow,
    handle: (trx, events) => followRenewals(deps, trx, events),
    committed: http.committed,
  });
}
