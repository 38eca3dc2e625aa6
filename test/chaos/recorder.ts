/**
 * A consumer as services write them, alone in its process: it counts how often each event took effect.
 * The chaos suite kills it like everything else.
 */
import { connectBus } from '@ops/bus/connect';
import { startConsumer } from '@ops/bus/consumer';
import { openDatabase } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { recorderQueue } from './recorder-queue.ts';

const { DATABASE_URL: databaseUrl = '', AMQP_URL: amqpUrl, BUS_NAMESPACE: namespace = '' } = process.env;
const logger = createLogger('recorder', 'warn');
const db = openDatabase(databaseUrl, { applicationName: 'recorder' });
const bus = await connectBus({ databaseUrl, amqpUrl, namespace, service: 'notifier', logger });
await startConsumer({
  db,
  bus,
  logger,
  queue: recorderQueue,
  handle: async (trx, events) => {
    await trx('recorded').insert(events.map((event) => ({ communication_id: event.data.communication_id })));
  },
});
process.on('disconnect', () => process.exit());
process.send?.({ type: 'ready' });
