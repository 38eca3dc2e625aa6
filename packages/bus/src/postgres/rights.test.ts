import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { createBusDatabase, rolesOf, type TestDatabase } from '../../test/database.ts';
import { queues } from '../conformance/events.ts';
import { newNamespace, openBus, openDb, silent } from '../conformance/world.ts';
import type { Bus } from '../port.ts';
import { defineTopology } from '../topology.ts';
import { connectPostgres } from './adapter.ts';
import { installBusSchema } from './install.ts';

let database: TestDatabase;
const namespace = newNamespace();
const opened: Bus[] = [];
const install = () => installBusSchema(database.adminUrl, rolesOf(database.rolesOf));

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

const { theirs } = defineTopology('notifier', {
  theirs: { name: 'notifier:customer:work', bindings: ['customer.changed'] },
}).queues;

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
  await notifier.consume(theirs, async (messages) => {
    heard.push(...messages.map((message) => `queue ${(message.event as { id: string }).id}`));
    return messages.map(() => ({ done: true }));
  });
  const comms = await open(database.urls.comms);
  await comms.publish([{ event }]);
  await eventually(() => expect(heard.sort()).toEqual(['queue one', 'tap one']));
  await expect(gateway.publish([{ event }])).rejects.toThrow(/permission denied/);
});

test('a service tells of its own events and works with its own queues alone, whatever it asks the database', async () => {
  await install();
  const comms = await open(database.urls.comms);
  const kept = await comms.consume(queues.work, async (messages) => messages.map(() => ({ done: true })));
  await kept.close();
  await comms.publish([{ event }]);
  const notifier = await open(database.urls.notifier);
  const refused = [
    [notifier.publish([{ event }]), /may not tell of customer.changed/],
    [notifier.publish([{ event: { ...event, type: 'unheard.of' } }]), /may not tell of unheard.of/],
    [notifier.publish([{ event, queue: queues.work.name }]), /may not write to comms-service:customer:work/],
  ] as const;
  for (const [asked, reason] of refused) await expect(asked).rejects.toThrow(reason);
  const db = openDb(database.urls.notifier);
  const other = `(SELECT id FROM bus._private_tasks WHERE identifier LIKE '%.comms-service:customer:work')`;
  for (const sql of [
    `SELECT bus.publish('${namespace}', ARRAY['{"type":"delivery.updated","type":"customer.changed"}'], '{NULL}', 'tap', '{}')`,
    `SELECT bus.register('${namespace}', 'comms-service:customer:single', 1, '{customer.changed}')`,
    `SELECT bus.put_off('${namespace}', 'comms-service:customer:work', '{[]}', '{0}')`,
    `SELECT bus.add_job('${namespace}.comms-service:customer:work', '[]')`,
    `INSERT INTO bus._private_jobs (task_id) VALUES (${other})`,
    `INSERT INTO bus.bindings VALUES ('${namespace}', 'customer.changed', 'notifier:customer:work')`,
    `DELETE FROM bus.bindings`,
    `INSERT INTO bus.accounts VALUES (session_user, 'comms-service')`,
    `ALTER TABLE bus._private_jobs DISABLE ROW LEVEL SECURITY`,
    `SET ROLE ${database.rolesOf}_bus`,
  ])
    await expect(db.raw(sql)).rejects.toThrow(/permission denied|must be owner|may not|row-level security/);
  for (const sql of [
    'SELECT * FROM bus._private_jobs',
    'DELETE FROM bus._private_jobs',
    `UPDATE bus._private_jobs SET payload = '[]'`,
  ])
    expect((await db.raw(sql)).rowCount).toBe(0);
  await db.raw(`SELECT bus.put_off('${namespace}', 'notifier:customer:late', '{[]}', '{86400000}')`);
  await expect(db.raw(`UPDATE bus._private_jobs SET task_id = ${other}`)).rejects.toThrow(/row-level security/);
  expect((await db.raw('DELETE FROM bus._private_jobs')).rowCount).toBe(1);
  await db.destroy();
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
  // Buses that others here opened still look at it, and the two may deadlock.
  await eventually(() => bare.raw('DROP SCHEMA IF EXISTS bus CASCADE'));
  await bare.destroy();
  const bus = await open(database.urls.comms);
  const waiting = bus.consume(queues.work, async (messages) => messages.map(() => ({ done: true })));
  await expect(bus.publish([{ event }])).rejects.toThrow(/bus/);
  await install();
  await waiting;
  await bus.publish([{ event }]);
});
