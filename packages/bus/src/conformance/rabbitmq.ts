import { testBroker } from '@ops/test-kit/broker';
import { startRabbitNode } from '@ops/test-kit/rabbitmq-node';
import { forgetOnBroker } from '../../test/broker.ts';
import { createBusDatabase } from '../../test/database.ts';
import { allQueues } from './events.ts';
import {
  type Adapter,
  type BusSettings,
  busOpener,
  createTables,
  emptyTables,
  newNamespace,
  openDb,
  type World,
} from './world.ts';

export function onRabbitMq(): Adapter {
  const database = createBusDatabase();
  const schema = database.then(async ({ urls }) => {
    const db = openDb(urls.comms);
    await createTables(db);
    return { db, databaseUrl: urls.comms };
  });

  async function worldOn(amqpUrl: string, deliveryLimit = 50) {
    const { db, databaseUrl } = await schema;
    await emptyTables(db);
    const settings: BusSettings = { amqpUrl, databaseUrl, namespace: newNamespace(), deliveryLimit };
    return { settings, db, ...busOpener(settings) };
  }

  return {
    name: 'RabbitMQ',
    async world({ deliveryLimit } = {}) {
      const world = await worldOn(testBroker().url, deliveryLimit);
      return {
        ...world,
        async close() {
          await world.closeAll();
          await forgetOnBroker(testBroker().url, world.settings.namespace, allQueues);
          await forgetOnBroker(testBroker().url, world.strangers, []);
        },
      };
    },
    async ownNodeWorld() {
      const node = await startRabbitNode();
      const world = await worldOn(node.url);
      await declareAll(world);
      return {
        ...world,
        kill: () => node.kill(),
        start: () => node.start(),
        async close() {
          await world.closeAll();
          await node.stop();
        },
      };
    },
    async close() {
      await (await schema).db.destroy();
      await (await database).drop();
    },
  };
}

/**
 * A node that is killed within half a second of declaring a quorum queue comes back without a leader for it, and
 * nothing tells when that time is over. What the tests are about is a broker whose queues were there before.
 */
async function declareAll(world: Pick<World, 'bus'>): Promise<void> {
  const bus = await world.bus();
  for (const queue of allQueues) await (await bus.consume(queue, async () => [])).close();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}
