import { testBroker } from '@ops/test-kit/broker';
import amqp, { type Channel, type ConfirmChannel } from 'amqplib';
import type { Undo } from '../undo.ts';

/** As many as the bus has under way. */
const underWay = 256;
const prefetch = 400;

export interface BareBroker {
  /** Every message confirmed, to as many quorum queues as are told of. Answers messages a second. */
  publish(count: number): Promise<number>;
  /** Takes and acknowledges what was published. Answers messages a second, of each queue. */
  take(count: number): Promise<number>;
  /** Both at once: from the first published to the last acknowledged of the last queue. */
  fanOut(count: number): Promise<number>;
}

/** The same bytes, over the same kind of queue, and nothing else. */
export async function openBareBroker(undo: Undo, content: Buffer, copies = 1): Promise<BareBroker> {
  const { url, namespace } = testBroker();
  const connection = await amqp.connect(url);
  undo.add(() => connection.close());
  const channel = await connection.createConfirmChannel();
  await channel.prefetch(prefetch);
  const exchange = `${namespace}.bare`;
  await channel.assertExchange(exchange, 'fanout');
  undo.add(() => channel.deleteExchange(exchange));
  const queues = Array.from({ length: copies }, (_, n) => `${exchange}.${n}`);
  for (const queue of queues) {
    await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    await channel.bindQueue(queue, exchange, '');
    undo.add(() => channel.deleteQueue(queue));
  }
  const publish = (count: number) => publishAll(channel, exchange, content, count);
  const take = (count: number) => Promise.all(queues.map((queue) => takeAll(channel, queue, count)));
  return {
    publish: (count) => perSecond(count, () => publish(count)),
    take: (count) => perSecond(count, () => take(count)),
    fanOut: (count) => perSecond(count, () => Promise.all([take(count), publish(count)])),
  };
}

async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return count / ((performance.now() - began) / 1000);
}

function publishAll(channel: ConfirmChannel, exchange: string, content: Buffer, count: number): Promise<void> {
  const all = Promise.withResolvers<void>();
  let sent = 0;
  let confirmed = 0;
  const next = () => {
    if (sent === count) return;
    sent += 1;
    channel.publish(exchange, '', content, { persistent: true }, (error) => {
      if (error) return all.reject(error);
      confirmed += 1;
      if (confirmed === count) all.resolve();
      else next();
    });
  };
  for (let n = 0; n < underWay; n += 1) next();
  return all.promise;
}

async function takeAll(channel: Channel, queue: string, count: number): Promise<void> {
  const all = Promise.withResolvers<void>();
  let taken = 0;
  const { consumerTag } = await channel.consume(queue, (message) => {
    if (message === null) return all.reject(new Error(`${queue} is gone`));
    channel.ack(message);
    taken += 1;
    if (taken === count) all.resolve();
  });
  await all.promise;
  await channel.cancel(consumerTag);
}
