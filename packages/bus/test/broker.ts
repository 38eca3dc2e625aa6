import { serviceNames } from '@ops/contracts/routes';
import amqp, { type Channel } from 'amqplib';
import type { QueueSpec } from '../src/port.ts';
import { namesIn } from '../src/rabbitmq/names.ts';
import { deadLetterQueueOf } from '../src/topology.ts';

/** Removes what RabbitMQ keeps of a namespace; on a broker that outlives the run nothing else would. */
export const forgetOnBroker = (url: string, namespace: string, specs: readonly QueueSpec[]): Promise<void> =>
  onChannel(url, async (channel) => {
    const { events, dead } = namesIn(namespace, '');
    const { queues, waits } = queuesOf(namespace, specs, serviceNames);
    for (const queue of [...queues, ...waits]) await channel.deleteQueue(queue);
    for (const exchange of [
      events,
      dead,
      ...waits,
      ...serviceNames.map((service) => namesIn(namespace, service).returns),
    ])
      await channel.deleteExchange(exchange);
  });

/** How many messages wait in each of these queues, for a retry or as given up. */
export const waitingOnBroker = (
  url: string,
  namespace: string,
  specs: readonly QueueSpec[],
): Promise<[string, number][]> =>
  onChannel(url, async (channel) => {
    // Whoever reads no queue has none for what it gave up on, and to ask for one that is not there ends the connection.
    const readers = serviceNames.filter((service) => specs.some(({ name }) => name.startsWith(`${service}:`)));
    const { queues, waits } = queuesOf(namespace, specs, readers);
    const counts = [...queues, ...waits].map(async (name): Promise<[string, number]> => {
      const { messageCount } = await channel.checkQueue(name);
      return [name, messageCount];
    });
    return Promise.all(counts);
  });

function queuesOf(namespace: string, specs: readonly QueueSpec[], readers: readonly string[]) {
  const of = (service: string) => {
    const names = namesIn(namespace, service);
    const own = specs.filter(({ name }) => name.startsWith(`${service}:`));
    const delays = new Set(own.flatMap(({ retry }) => retry.delaysMs));
    return {
      queues: [...own.map(({ name }) => name), deadLetterQueueOf(service)].map(names.queue),
      waits: [...delays].map(names.wait),
    };
  };
  const all = readers.map(of);
  return { queues: all.flatMap(({ queues }) => queues), waits: all.flatMap(({ waits }) => waits) };
}

async function onChannel<T>(url: string, work: (channel: Channel) => Promise<T>): Promise<T> {
  const connection = await amqp.connect(url);
  try {
    const channel = await connection.createChannel();
    // The call that failed says so too.
    channel.on('error', () => undefined);
    return await work(channel);
  } finally {
    await connection.close();
  }
}
