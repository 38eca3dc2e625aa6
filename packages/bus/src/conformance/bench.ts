/**
 * How fast events go from the outbox to a consumer's committed effect, beside bare confirmed publishing on the same
 * machine. TEST_DATABASE_URL and TEST_AMQP_URL say where; `pnpm --filter @ops/bus bench [events]`.
 */
import { performance } from 'node:perf_hooks';
import { dropAll } from '@ops/test-kit/database';
import amqp, { type ConfirmChannel } from 'amqplib';
import type { Knex } from 'knex';
import { forgetOnBroker } from '../../test/broker.ts';
import { createBusDatabase } from '../../test/database.ts';
import { connectBus } from '../connect.ts';
import { startConsumer } from '../consumer.ts';
import { createRelay } from '../relay.ts';
import { defineTopology } from '../topology.ts';
import { commit, writeEffects } from './events.ts';
import { createTables, emptyTables, newNamespace, openDb, silent } from './world.ts';

const count = Number(process.argv[2] ?? 20_000);
const amqpUrl = process.env.TEST_AMQP_URL ?? '';
const logger = silent;
const { queues } = defineTopology('comms-service', {
  bench: { name: 'comms-service:customer:bench', bindings: ['customer.changed'], batch: 100, prefetch: 400 },
});

/** Publishing with the relay, and taking with inbox and one effect a message, each by itself. */
async function measureBus(name: string, db: Knex, databaseUrl: string, amqpUrl: string | undefined): Promise<void> {
  await emptyTables(db);
  const namespace = newNamespace();
  const bus = await connectBus({ amqpUrl, databaseUrl, namespace, service: 'comms-service', logger });
  await (await bus.consume(queues.bench, async () => [])).close();
  await commit(db, count);
  const relay = createRelay({ db, bus, logger });
  await measure(`${name}: outbox to broker`, async () => {
    while ((await relay.runOnce()).published > 0);
  });
  const all = Promise.withResolvers<void>();
  let taken = 0;
  await measure(`${name}: broker to committed effect`, async () => {
    await startConsumer({
      db,
      bus,
      queue: queues.bench,
      logger,
      handle: (trx, events) => writeEffects(trx, queues.bench.name, events),
      committed: () => {
        taken += queues.bench.batch;
        if (taken >= count) countEffects(db).then((done) => done >= count && all.resolve());
      },
    });
    await all.promise;
  });
  await relay.stop();
  await bus.close();
  if (amqpUrl !== undefined) await forgetOnBroker(amqpUrl, namespace, [queues.bench]);
}

const countEffects = async (db: Knex) => Number((await db('effects').count('* as n').first())?.n);

/** The same bytes to the same kind of queue, confirmed, with the same number under way, and nothing else. */
async function measureBare(): Promise<void> {
  const connection = await amqp.connect(amqpUrl);
  const channel = await connection.createConfirmChannel();
  const queue = newNamespace();
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await measure('bare amqplib: confirmed publishing', () => publishBare(channel, queue));
  await channel.deleteQueue(queue);
  await connection.close();
}

function publishBare(channel: ConfirmChannel, queue: string): Promise<void> {
  const content = Buffer.from('x'.repeat(600));
  const all = Promise.withResolvers<void>();
  let sent = 0;
  let confirmed = 0;
  const next = () => {
    if (sent === count) return;
    sent += 1;
    channel.sendToQueue(queue, content, { persistent: true }, () => {
      confirmed += 1;
      if (confirmed === count) all.resolve();
      else next();
    });
  };
  for (let n = 0; n < 256; n += 1) next();
  return all.promise;
}

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  await work();
  const perSecond = Math.round((count / (performance.now() - began)) * 1_000);
  console.log(`${name.padEnd(45)} ${perSecond} a second`);
}

process.env.TEST_RUN ??= newNamespace();
const database = await createBusDatabase();
const db = openDb(database.urls.comms);
await createTables(db);
await measureBare();
await measureBus('RabbitMQ', db, database.urls.comms, amqpUrl);
await measureBus('Postgres', db, database.urls.comms, undefined);
await db.destroy();
await dropAll();
