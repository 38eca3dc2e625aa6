import type { Envelope } from '@ops/contracts/envelope';
import { bareCustomer } from '@ops/contracts/test/customer';
import type { Knex } from 'knex';
import { startConsumer } from '../consumer.ts';
import type { BusLogger } from '../logger.ts';
import { createOutbox } from '../outbox.ts';
import type { Bus, QueueSpec, Subscription } from '../port.ts';
import { createRelay, type Relay } from '../relay.ts';
import { defineTopology, type QueueInput } from '../topology.ts';
import { silent } from './world.ts';

export const outbox = createOutbox('comms-service');

/** Every queue of the suite; short delays and few tries, so that a test sees the end of them. */
export const { queues } = defineTopology('comms-service', {
  work: queue('work', { batch: 10, prefetch: 50 }),
  single: queue('single', { batch: 1, prefetch: 1 }),
  audit: queue('audit'),
  mirror: queue('mirror'),
  renewals: { ...queue('renewals'), bindings: ['RENEWAL_TRIGGERED'] },
});

export const allQueues: QueueSpec[] = Object.values(queues);

function queue(purpose: string, sizes: Pick<QueueInput, 'batch' | 'prefetch'> = {}): QueueInput {
  return {
    name: `comms-service:customer:${purpose}`,
    bindings: ['customer.changed'],
    retry: { delaysMs: [50, 200], maxAttempts: 3 },
    ...sizes,
  };
}

export const customerChanged = (customer: string, version: number, name = 'Demo Customer') => ({
  type: 'customer.changed' as const,
  data: {
    customer_id: customer,
    occurred_at: '2030-01-01T00:00:00Z',
    version,
    ...bareCustomer,
    name,
  },
});

/** Of a type no queue of the suite takes. */
export const communicationReceived = (customer: string) => ({
  type: 'COMMUNICATION_RECEIVED' as const,
  data: {
    customer_id: customer,
    occurred_at: '2030-01-01T00:00:00Z',
    communication_id: '0195c4e0-0000-7000-8000-000000000001',
    type: 'SMS' as const,
    renewal_id: null,
  },
});

/** One event for each version from 1, of the customers in turn, committed with nothing else. */
export async function commit(db: Knex, count: number, customers: readonly string[] = ['C-1']): Promise<Envelope[]> {
  const events = Array.from({ length: count }, (_, n) =>
    customerChanged(customers[n % customers.length] ?? 'C-1', Math.floor(n / customers.length) + 1),
  );
  const committed: Envelope[] = [];
  for (let from = 0; from < count; from += 500)
    committed.push(...(await db.transaction((trx) => outbox.addMany(trx, events.slice(from, from + 500)))));
  return committed;
}

export const versionOf = (event: Envelope): number => Number(event.data.version);

/** The effect of a handler: a row in its transaction. */
export async function writeEffects(trx: Knex.Transaction, queueName: string, events: Envelope[]): Promise<void> {
  await trx('effects').insert(
    events.map((event) => ({
      queue: queueName,
      event_id: event.id,
      subject: event.subject,
      version: versionOf(event),
    })),
  );
}

/** Stands for the queue where the effect is of having given an event up. */
export const gaveUpOn = 'gave up';

export interface RecordingOptions {
  db: Knex;
  bus: Bus;
  queue: QueueSpec;
  logger?: BusLogger;
  before?: (events: Envelope[]) => Promise<void> | void;
}

/** A consumer whose effects can be counted. */
export function record({ db, bus, queue: spec, logger = silent, before }: RecordingOptions): Promise<Subscription> {
  return startConsumer({
    db,
    bus,
    queue: spec,
    logger,
    async handle(trx, events) {
      await before?.(events);
      await writeEffects(trx, spec.name, events);
    },
  });
}

export interface Effect {
  queue: string;
  event_id: string;
  subject: string;
  version: number;
}

export const effectsOf = (db: Knex, spec: QueueSpec): Promise<Effect[]> =>
  db('effects').where({ queue: spec.name }).orderBy('position');

/** For a broker of which nothing is asked but to publish. */
export const newRelay = (db: Knex, bus: Pick<Bus, 'publish'>, leaseMs = 500): Relay =>
  createRelay({
    db,
    bus: { publish: bus.publish, missingRoutes: async () => [] },
    logger: silent,
    batch: 200,
    pollMs: 20,
    leaseMs,
  });

/** Publishes everything that waits. */
export async function publishAll(db: Knex, bus: Bus): Promise<void> {
  const relay = newRelay(db, bus);
  while ((await relay.runOnce()).published > 0);
  await relay.stop();
}
