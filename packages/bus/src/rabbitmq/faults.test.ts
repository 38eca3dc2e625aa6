import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { testBroker } from '@ops/test-kit/broker';
import { eventually } from '@ops/test-kit/eventually';
import amqp, { type Channel } from 'amqplib';
import { forgetOnBroker } from '../../test/broker.ts';
import { customerChanged, queues } from '../conformance/events.ts';
import { newNamespace, silent } from '../conformance/world.ts';
import { BrokerAwayError } from '../errors.ts';
import type { Bus, IncomingMessage } from '../port.ts';
import { connectRabbitMq } from './adapter.ts';

let namespace: string;
let opened: Bus[];
let admin: { channel: Channel; close(): Promise<void> };

beforeEach(async () => {
  namespace = newNamespace();
  opened = [];
  const connection = await amqp.connect(testBroker().url);
  admin = { channel: await connection.createChannel(), close: () => connection.close() };
});
afterEach(async () => {
  await Promise.all(opened.map((bus) => bus.close()));
  await admin.close();
  await forgetOnBroker(testBroker().url, namespace, [queues.work]);
});

async function open(url = testBroker().url, confirmTimeoutMs = 5_000): Promise<Bus> {
  const bus = await connectRabbitMq({ url, namespace, service: 'comms-service', logger: silent, confirmTimeoutMs });
  opened.push(bus);
  return bus;
}

const { data, type } = customerChanged('C-1', 1);
const event = (id: string) => ({
  specversion: '1.0' as const,
  id,
  source: 'comms-service',
  type,
  subject: 'C-1',
  time: '2030-01-01T00:00:00Z',
  data,
});

async function listen(bus: Bus): Promise<IncomingMessage[]> {
  const heard: IncomingMessage[] = [];
  await bus.consume(queues.work, async (messages) => {
    heard.push(...messages);
    return messages.map(() => ({ done: true }));
  });
  return heard;
}

/** A broker reached through a wire that can be cut without either end being told. */
async function wire() {
  const target = new URL(testBroker().url);
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const broker = connect(Number(target.port || 5672), target.hostname);
    sockets.push(client, broker);
    client.pipe(broker);
    broker.pipe(client);
    for (const socket of [client, broker]) socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  const drop = () => {
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  return {
    url: url.href,
    cut() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** Both ends are told; who connects anew gets through. */
    drop,
    /** The next time the client sends this, which the broker does not get to see. */
    dropAt(bytes: Buffer) {
      for (const client of sockets.filter((_, n) => n % 2 === 0))
        client.prependListener('data', (sent: Buffer) => sent.includes(bytes) && drop());
    },
    close: () => server.close(),
  };
}

test('a half-open connection does not hold a publish for longer than the time given', async () => {
  const link = await wire();
  const bus = await open(link.url, 200);
  await bus.publish([{ event: event('before') }]);
  link.cut();
  await expect(bus.publish([{ event: event('after') }])).rejects.toThrow('no confirm from the broker within 200 ms');
  link.drop();
  await eventually(() => bus.publish([{ event: event('after') }]));
  await bus.close();
  link.close();
});

/** Class 20, method 40. What is asked next may be cut off by it too. */
const channelClose = Buffer.from([0, 20, 0, 40]);

test('a connection lost while the channel of a question closes leaves nobody asking for ever', async () => {
  const link = await wire();
  const bus = await open(link.url);
  await listen(bus);
  const missing = () => bus.missingRoutes([{ type, queue: queues.work.name }]);
  expect(await missing()).toEqual([]);
  link.dropAt(channelClose);
  await missing().catch(() => undefined);
  await eventually(async () => expect(await missing()).toEqual([]));
  await bus.close();
  link.close();
});

test('a queue deleted under its consumer is declared and consumed again', async () => {
  const bus = await open();
  const heard = await listen(bus);
  await admin.channel.deleteQueue(`${namespace}.${queues.work.name}`);
  await eventually(async () => {
    await bus.publish([{ event: event('after') }]);
    expect(heard.length).toBeGreaterThan(0);
  });
});

test('an exchange that is gone rejects the publish and is declared again', async () => {
  const bus = await open();
  await admin.channel.deleteExchange(`${namespace}.ops.events`);
  await expect(bus.publish([{ event: event('lost') }])).rejects.toBeInstanceOf(BrokerAwayError);
  await eventually(() => bus.publish([{ event: event('again') }]));
});

test('wait queues that are gone are declared again before a message is sent to them', async () => {
  const bus = await open();
  const attempts: number[] = [];
  await bus.consume(queues.work, async (messages) => {
    attempts.push(...messages.map(({ attempt }) => attempt));
    return messages.map(({ attempt }) => (attempt < 2 ? { retryAfterMs: 50 } : { done: true }));
  });
  await admin.channel.deleteQueue(`${namespace}.comms-service:ops.wait.50`);
  await bus.publish([{ event: event('retried') }]);
  await eventually(() => expect(attempts).toEqual([1, 2]));
});

test('bytes that are no JSON reach the wrapper as text; a forged count of tries counts as the first', async () => {
  const heard = await listen(await open());
  const queue = `${namespace}.${queues.work.name}`;
  admin.channel.sendToQueue(queue, Buffer.from('no { JSON'));
  admin.channel.sendToQueue(queue, Buffer.from('{}'), { headers: { 'ops-attempt': 'many' } });
  await eventually(() =>
    expect(heard).toEqual([
      { event: 'no { JSON', attempt: 1 },
      { event: {}, attempt: 1 },
    ]),
  );
});

test('a broker that was never there keeps nobody waiting: connecting ends, publish and check say why, close closes', async () => {
  const bus = await open('amqp://127.0.0.1:1');
  await expect(bus.publish([{ event: event('x') }])).rejects.toThrow(/ECONNREFUSED/);
  await expect(bus.check()).rejects.toThrow(/ECONNREFUSED/);
  const waiting = [bus.consume(queues.work, async () => []), bus.tap([type], { event() {}, reset() {} })];
  const ended = waiting.map((one) => expect(one).rejects.toBeInstanceOf(BrokerAwayError));
  await bus.close();
  await Promise.all(ended);
});

test('a wrong password is told, not waited for', async () => {
  const url = new URL(testBroker().url);
  url.password = 'wrong';
  const bus = await open(url.href);
  await expect(bus.check()).rejects.toThrow(/ACCESS_REFUSED|403/);
});
