import { randomBytes } from 'node:crypto';
import type { QueueSpec } from '@ops/bus/port';
import { namesIn } from '@ops/bus/rabbitmq/names';
import { deadLetterQueueOf } from '@ops/bus/topology';
import { serviceNames } from '@ops/contracts/routes';
import amqp from 'amqplib';

export interface TestBroker {
  url: string;
  /** Unique: exchanges and queues of this test file begin with it. */
  namespace: string;
  /** Removes what was declared for these queues; on a broker that outlives the run nothing else would. */
  forget(queues: readonly QueueSpec[]): Promise<void>;
  /** Messages that wait in one of these queues, for a retry or as given up. */
  waiting(queues: readonly QueueSpec[]): Promise<number>;
}

/** The run's RabbitMQ, or another, with a namespace of the test file's own. */
export function testBroker(url = process.env.TEST_AMQP_URL, namespace = ownNamespace()): TestBroker {
  if (!url) throw new Error('TEST_AMQP_URL is not set: is global-setup in the jest configuration?');
  return {
    url,
    namespace,
    forget: (queues) => forget(url, namespace, queues),
    waiting: (queues) => waiting(url, namespace, queues),
  };
}

const ownNamespace = () => `test-${randomBytes(6).toString('hex')}`;

async function forget(url: string, namespace: string, specs: readonly QueueSpec[]): Promise<void> {
  const { names, queues, waits } = namesOf(namespace, specs);
  const connection = await amqp.connect(url);
  const channel = await connection.createChannel();
  for (const queue of [...queues, ...waits]) await channel.deleteQueue(queue);
  for (const exchange of [names.events, names.dead, ...waits]) await channel.deleteExchange(exchange);
  await connection.close();
}

function namesOf(namespace: string, specs: readonly QueueSpec[]) {
  const names = namesIn(namespace);
  const waits = [...new Set(specs.flatMap(({ retry }) => retry.delaysMs))].map((ms) => names.wait(ms));
  const queues = [...specs.map(({ name }) => name), ...readers(specs).map(deadLetterQueueOf)].map(names.queue);
  return { names, queues, waits };
}

/** Whoever reads no queue has none for what it gave up on, and to ask for one that is not there ends the connection. */
const readers = (specs: readonly QueueSpec[]) =>
  serviceNames.filter((service) => specs.some(({ name }) => name.startsWith(`${service}:`)));

async function waiting(url: string, namespace: string, specs: readonly QueueSpec[]): Promise<number> {
  const { queues, waits } = namesOf(namespace, specs);
  const connection = await amqp.connect(url);
  try {
    const channel = await connection.createChannel();
    // The call that failed says so too.
    channel.on('error', () => undefined);
    const counts = [...queues, ...waits].map(async (name) => (await channel.checkQueue(name)).messageCount);
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  } finally {
    await connection.close();
  }
}
