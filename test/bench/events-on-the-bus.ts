import { commit, writeEffects } from '@ops/bus/conformance/events';
import { createTables, emptyTables, newNamespace, openDb, silent } from '@ops/bus/conformance/world';
import { connectBus } from '@ops/bus/connect';
import { startConsumer } from '@ops/bus/consumer';
import { createRelay } from '@ops/bus/relay';
import { forgetOnBroker } from '@ops/bus/test/broker';
import { createBusDatabase } from '@ops/bus/test/database';
import { defineTopology } from '@ops/bus/topology';
import type { Db } from '@ops/service-kit/database';
import { testBroker } from '@ops/test-kit/broker';
import type { Bench } from './line.ts';
import { type Cost, costOf } from './processor-time.ts';

const { queues } = defineTopology('comms-service', {
  bench: { name: 'comms-service:customer:bench', bindings: ['customer.changed'], batch: 100, prefetch: 400 },
});
const queue = queues.bench;

interface Passed {
  published: Cost;
  taken: Cost;
  /** What an event is, as it travels. */
  content: Buffer;
}

/** Lets so many events pass from an outbox to a consumer's committed effects, with nothing else of a service around them. */
export async function openBus({ bus: kind, undo }: Bench): Promise<(count: number) => Promise<Passed>> {
  const database = await createBusDatabase();
  undo.add(database.drop);
  const databaseUrl = database.urls.comms;
  const db = openDb(databaseUrl);
  undo.add(() => db.destroy());
  await createTables(db);
  const amqpUrl = kind === 'rabbitmq' ? testBroker().url : undefined;
  return async (count) => {
    await emptyTables(db);
    const namespace = newNamespace();
    const options = { amqpUrl, databaseUrl, namespace, service: 'comms-service', logger: silent };
    try {
      return await pass(db, options, count);
    } finally {
      if (amqpUrl !== undefined) await forgetOnBroker(amqpUrl, namespace, [queue]);
    }
  };
}

async function pass(db: Db, options: Parameters<typeof connectBus>[0], count: number): Promise<Passed> {
  const bus = await connectBus(options);
  try {
    // The queue is there before anything is published.
    await (await bus.consume(queue, async () => [])).close();
    const [event] = await commit(db, count);
    const relay = createRelay({ db, bus, logger: silent });
    const published = await costOf(db, async () => {
      while ((await relay.runOnce()).published > 0);
    });
    await relay.stop();
    const taken = await costOf(db, () => takeAll(db, bus, count));
    return { published, taken, content: Buffer.from(JSON.stringify(event)) };
  } finally {
    await bus.close();
  }
}

type Bus = Awaited<ReturnType<typeof connectBus>>;

/** With inbox and one effect an event. */
async function takeAll(db: Db, bus: Bus, count: number): Promise<void> {
  const all = Promise.withResolvers<void>();
  let taken = 0;
  const countEffects = async () => Number((await db('effects').count('* as n').first())?.n);
  await startConsumer({
    db,
    bus,
    queue,
    logger: silent,
    handle: (trx, events) => writeEffects(trx, queue.name, events),
    committed: () => {
      // A batch may be smaller: then it is looked at too early, which costs little.
      taken += queue.batch;
      if (taken >= count) countEffects().then((done) => done >= count && all.resolve(), all.reject);
    },
  });
  await all.promise;
}
