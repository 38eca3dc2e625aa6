import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { createBusDatabase, type TestDatabase } from '../../test/database.ts';
import { queues } from '../conformance/events.ts';
import { newNamespace, openBus, openDb, silent } from '../conformance/world.ts';
import type { Bus } from '../port.ts';
import { connectPostgres } from './adapter.ts';
import { installBusSchema } from './install.ts';

let database: TestDatabase;
const namespace = newNamespace();
const opened: Bus[] = [];
const install = () => installBusSchema(database.adminUrl, `${database.rolesOf}_bus`);

beforeAll(async () => {
  database = await createBusDatabase();
});
afterAll(async () => {
  await Promise.all(opened.map((bus) => bus.close()));
  await database.drop();
});

async function open(databaseUrl: string): Promise<Bus> {
  const bus = await openBus({ databaseUrl, namespace });
  opened.push(bus);
  return bus;
}

const event = {
  specversion: '1.0' as const,
  id: 'one',
  source: 'comms-service',
  type: 'customer.changed',
  subject: 'C-1',
  time: '2030-01-01T00:00:00Z',
  data: {},
};

test('processes that install at the same time, and again later, do not hinder each other', async () => {
  await Promise.all([install(), install(), install()]);
  await install();
});

test('one service publishes, another consumes, and the gateway hears it with the right to connect alone', async () => {
  await install();
  const heard: string[] = [];
  const gateway = await open(database.urls.gateway);
  await gateway.tap(['customer.changed'], { event: ({ id }) => heard.push(`tap ${id}`), reset: () => undefined });
  await gateway.check();
  const notifier = await open(database.urls.notifier);
  await notifier.consume(queues.work, async (messages) => {
    heard.push(...messages.map((message) => `queue ${(message.event as { id: string }).id}`));
    return messages.map(() => ({ done: true }));
  });
  const comms = await open(database.urls.comms);
  await comms.publish([{ event }]);
  await eventually(() => expect(heard.sort()).toEqual(['queue one', 'tap one']));
  await expect(gateway.publish([{ event }])).rejects.toThrow(/permission denied/);
});

test('what screens must not hear is not told to whoever may listen', async () => {
  await install();
  const url = database.urls.comms;
  const bus = connectPostgres({ url, namespace, service: 'comms-service', logger: silent, tapTypes: [] });
  opened.push(bus);
  const heard: string[] = [];
  await bus.tap(['customer.changed', 'marker'], { event: ({ id }) => heard.push(id), reset: () => undefined });
  await bus.publish([{ event }]);
  await (await open(url)).publish([{ event: { ...event, id: 'two' } }]);
  await eventually(() => expect(heard).toEqual(['two']));
});

test('a consumer of a bus that is not installed yet waits for it', async () => {
  const bare = openDb(database.adminUrl);
  await bare.raw('DROP SCHEMA IF EXISTS bus CASCADE');
  await bare.destroy();
  const bus = await open(database.urls.comms);
  const waiting = bus.consume(queues.work, async (messages) => messages.map(() => ({ done: true })));
  await expect(bus.publish([{ event }])).rejects.toThrow(/bus/);
  await install();
  await waiting;
  await bus.publish([{ event }]);
});
