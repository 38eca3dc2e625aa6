import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { type RabbitNode, startRabbitNode } from '@ops/test-kit/rabbitmq-node';
import amqp, { type ConfirmChannel } from 'amqplib';
import { newNamespace, silent } from '../conformance/world.ts';
import { UnroutableError } from '../errors.ts';
import type { Bus, IncomingMessage } from '../port.ts';
import { defineTopology } from '../topology.ts';
import { type BrokerAccount, brokerAccounts, brokerDefinitions } from './accounts.ts';
import { connectRabbitMq } from './adapter.ts';

/** Each process with its own account on a broker of the test's own, and what one that was taken over tries. */
const namespace = newNamespace();
const sends = 'notifier:communication:send';
const theirs = `${namespace}.${sends}`;
const events = `${namespace}.ops.events`;
const dead = `${namespace}.ops.dead`;
const own = (name: string) => `${namespace}.webhook-ingest:${name}`;

let broker: RabbitNode;
const opened: Bus[] = [];
const as = (account: string) =>
  broker.url.replace('guest:guest', account === 'guest' ? 'guest:guest' : `${account}:pw`);

beforeAll(async () => {
  broker = await startRabbitNode();
  const passwords = Object.fromEntries(brokerAccounts.map((name) => [name, 'pw'])) as Record<BrokerAccount, string>;
  const { command, env } = broker.rabbitmqctl;
  execFileSync('sh', ['-c', `${command} import_definitions`], {
    env: { ...process.env, ...env },
    input: JSON.stringify(brokerDefinitions(passwords, namespace)),
  });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});
afterAll(() => broker?.stop());

async function open(service: string): Promise<Bus> {
  const bus = await connectRabbitMq({ url: as(service), namespace, service, logger: silent, deliveryLimit: 1 });
  opened.push(bus);
  return bus;
}

const { queues } = defineTopology('notifier', {
  sends: { name: sends, retry: { delaysMs: [50], maxAttempts: 3 } },
  receipts: { name: 'notifier:receipt:match' },
});

const event = (type: string, id: string) => ({
  specversion: '1.0' as const,
  id,
  source: 'a-service',
  type,
  subject: 'C-1',
  time: '2030-01-01T00:00:00Z',
  data: {},
});
const forged = event('communication.queued', 'forged');
const bytes = Buffer.from(JSON.stringify(forged));

async function notifier() {
  const heard: IncomingMessage[] = [];
  const bus = await open('notifier');
  for (const queue of [queues.sends, queues.receipts])
    await bus.consume(queue, async (messages) => {
      heard.push(...messages);
      return messages.map(() => ({ done: true }));
    });
  return heard;
}

test('each account does its work: publishes, hears, retries, replays, taps, and looks for routes', async () => {
  const comms = await open('comms-service');
  const bus = await open('notifier');
  const attempts: number[] = [];
  await bus.consume(queues.sends, async (messages) => {
    attempts.push(...messages.map(({ attempt }) => attempt));
    return messages.map(({ attempt }) => (attempt === 1 ? { retryAfterMs: 50 } : { done: true }));
  });
  const live: string[] = [];
  const gateway = await open('gateway');
  await gateway.tap(['communication.changed'], { event: ({ id }) => live.push(id), reset: () => undefined });
  const route = { type: 'communication.queued', queue: sends };
  expect(await comms.missingRoutes([route, { ...route, queue: 'notifier:communication:echo' }])).toHaveLength(1);
  await comms.publish([{ event: forged }, { event: event('communication.changed', 'seen') }]);
  await comms.publish([{ event: event('communication.changed', 'seen alone'), live: true }]);
  await eventually(() =>
    expect([attempts, live]).toEqual([
      [1, 2],
      ['seen', 'seen alone'],
    ]),
  );
  await bus.publish([{ event: forged, queue: sends }]);
  await eventually(() => expect(attempts).toEqual([1, 2, 1, 2]));
  const nowhere = bus.publish([{ event: forged, queue: 'notifier:nobody:here' }]);
  await expect(nowhere).rejects.toBeInstanceOf(UnroutableError);
  await Promise.all([comms, bus, gateway].map((each) => each.check()));
});

test('what killed its consumers is read back', async () => {
  const heard = await notifier();
  await onChannel('notifier', async (channel) => {
    // Its consumer dies with it each time, until the broker gives up.
    const declared = defineTopology('notifier', {
      x: { name: 'notifier:test:dying', bindings: ['communication.queued'] },
    });
    const bus = await open('notifier');
    const subscription = await bus.consume(declared.queues.x, async (messages) => {
      heard.push(...messages);
      return messages.map(() => ({ done: true }));
    });
    await subscription.close();
    channel.publish(`${namespace}.notifier:ops.returns`, `${namespace}.notifier:test:dying`, bytes);
    await channel.waitForConfirms();
    for (let n = 0; n < 2; n += 1) {
      await eventually(async () => {
        const got = await channel.get(`${namespace}.notifier:test:dying`);
        if (!got) throw new Error('not back yet');
        channel.nack(got, false, true);
      });
    }
  });
  await eventually(() => expect(heard.some(({ gaveUp }) => gaveUp?.queue === 'notifier:test:dying')).toBe(true));
});

async function onChannel<T>(account: string, work: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
  const connection = await amqp.connect(as(account));
  const channel = await connection.createConfirmChannel();
  const refused = new Promise<never>((_, reject) => channel.once('error', reject));
  refused.catch(() => undefined);
  return Promise.race([work(channel), refused]).finally(() => connection.close());
}

const send =
  (exchange: string, key: string, headers = {}, content = bytes) =>
  async (channel: ConfirmChannel) => {
    channel.publish(exchange, key, content, { headers });
    await channel.waitForConfirms();
  };

test.each<[string, (channel: ConfirmChannel) => Promise<unknown>]>([
  ['publishing what another tells', send(events, 'communication.queued')],
  ['the default exchange', send('', theirs)],
  ['another’s returns', send(`${namespace}.notifier:ops.returns`, theirs)],
  ['another’s waits', send(`${namespace}.notifier:ops.wait.50`, theirs)],
  ['another’s dead letters', send(dead, theirs)],
  ['reading another’s queue', (channel) => channel.get(theirs)],
  ['emptying it', (channel) => channel.purgeQueue(theirs)],
  ['removing it', (channel) => channel.deleteQueue(theirs)],
  ['removing what all share', (channel) => channel.deleteExchange(events)],
  ['making a queue in another’s name', (channel) => channel.assertQueue(`${namespace}.notifier:of:mine`)],
  [
    'a queue that dead-letters to another’s returns',
    (channel) => channel.assertQueue(own('dlx'), { deadLetterExchange: `${namespace}.notifier:ops.returns` }),
  ],
  ['a queue that dead-letters to any', (channel) => channel.assertQueue(own('dlx'), { deadLetterExchange: '' })],
  [
    'hearing what it is not told',
    async (channel) => {
      await channel.assertQueue(own('spy'));
      await channel.bindQueue(own('spy'), events, 'communication.queued');
    },
  ],
  [
    'hearing all',
    async (channel) => {
      await channel.assertQueue(own('spy'));
      await channel.bindQueue(own('spy'), events, '#');
    },
  ],
  [
    'another’s dead letters, read',
    async (channel) => {
      await channel.assertQueue(own('spy'));
      await channel.bindQueue(own('spy'), dead, theirs);
    },
  ],
])('refused by the broker: %s', async (_, attack) => {
  await notifier();
  await expect(onChannel('webhook-ingest', attack)).rejects.toThrow(/ACCESS[_-]REFUSED/);
});

/** Broker 3.10 lets these through; each would be taken for what it says, were the delivery not looked at. */
const roundabout: [string, (channel: ConfirmChannel) => Promise<unknown>][] = [
  ['another type under a key of one’s own', send(events, 'provider.receipt.received', { CC: [] })],
  ['a CC header', send(events, 'provider.receipt.received', { CC: ['communication.queued'] })],
  ['a CC header for dead letters', send(dead, own('a:b'), { CC: [theirs] })],
  [
    'an exchange bound to that of events',
    async (channel) => {
      await channel.assertExchange(own('way'), 'topic');
      await channel.bindExchange(events, own('way'), '#');
      await send(own('way'), 'communication.queued')(channel);
    },
  ],
  [
    'an alternate exchange',
    async (channel) => {
      await channel.assertExchange(own('other'), 'topic', { alternateExchange: events });
      await send(own('other'), 'communication.queued')(channel);
    },
  ],
  [
    'a queue that dead-letters as another’s event',
    async (channel) => {
      const ways = { deadLetterExchange: events, deadLetterRoutingKey: 'communication.queued', messageTtl: 1 };
      await channel.assertExchange(own('in'), 'fanout');
      await channel.assertQueue(own('dying'), ways);
      await channel.bindQueue(own('dying'), own('in'), '');
      await send(own('in'), '')(channel);
    },
  ],
  [
    'a queue that dead-letters as another’s dead letter',
    async (channel) => {
      const ways = { deadLetterExchange: dead, deadLetterRoutingKey: theirs, messageTtl: 1 };
      await channel.assertExchange(own('in2'), 'fanout');
      await channel.assertQueue(own('dying2'), ways);
      await channel.bindQueue(own('dying2'), own('in2'), '');
      await send(own('in2'), '')(channel);
    },
  ],
];

test.each(roundabout)('not believed by who reads it: %s', async (_, attack) => {
  const heard = await notifier();
  const unbelieved = () => heard.filter(({ gaveUp }) => gaveUp?.unbelieved);
  const said = await onChannel('webhook-ingest', attack).then(
    () => '',
    (error: Error) => error.message,
  );
  if (said === '') await eventually(() => expect(unbelieved().length).toBeGreaterThan(0));
  else expect(said).toMatch(/ACCESS[_-]REFUSED/);
  const comms = await open('comms-service');
  await comms.publish([{ event: event('communication.queued', 'true') }]);
  const believed = () =>
    heard.filter((one) => !unbelieved().includes(one)).map(({ event: told }) => (told as { id: string }).id);
  await eventually(() => expect(believed()).toEqual(['true']));
});
