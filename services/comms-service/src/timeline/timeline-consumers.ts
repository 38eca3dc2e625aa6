import { startConsumer } from '@ops/bus/consumer';
import type { Bus, Subscription } from '@ops/bus/port';
import type { Db } from '@ops/service-kit/database';
import type { Logger } from '@ops/service-kit/logger';
import { topology } from '../topology.ts';
import { writeTimeline } from './timeline-service.ts';

/** Renewals' alerts and completions appear in the customer's timeline, also before the customer is known. */
export function consumeRenewalEvents(db: Db, bus: Bus, logger: Logger): Promise<Subscription> {
  return startConsumer({ db, bus, queue: topology.queues.renewalTimeline, handle: writeTimeline, logger });
}
