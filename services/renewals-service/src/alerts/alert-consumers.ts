import { startConsumer } from '@ops/bus/consumer';
import type { Subscription } from '@ops/bus/port';
import type { ServiceParts } from '@ops/service-kit/service';
import { topology } from '../topology.ts';
import { takeMessages, takeOutcomes } from './alert-service.ts';

type Parts = Pick<ServiceParts, 'db' | 'bus' | 'logger'>;

/** What became of alerts, as the notifier tells. */
export const consumeAlertOutcomes = ({ db, bus, logger }: Parts): Promise<Subscription> =>
  startConsumer({ db, bus, logger, queue: topology.queues.alertOutcomes, handle: takeOutcomes });

/** Messages about renewals, as comms-service tells. */
export const consumeMessages = ({ db, bus, logger }: Parts): Promise<Subscription> =>
  startConsumer({ db, bus, logger, queue: topology.queues.messages, handle: takeMessages });
