import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import type { Knex } from 'knex';
import { createBusDatabase, type TestDatabase } from '../../test/database.ts';
import { queues } from '../conformance/events.ts';
import { newNamespace, openBus, openDb } from '../conformance/world.ts';
import type { Bus } from '../port.ts';

let database: TestDatabase;
let db: Knex;
let bus: Bus;

beforeAll(async () => {
  database = await createBusDatabase();
  db = openDb(database.adminUrl);
  bus = await openBus({ databaseUrl: database.urls.comms, namespace: newNamespace() });
});
afterAll(async () => {
  await bus.close();
  await db.destroy();
  await database.drop();
});

const abandoned = 'comms-service:customer:abandoned';
const jobs = () => db('bus.jobs').select('task_identifier', 'locked_by');
const lockFor = (pool: string, task: string) =>
  db.raw(
    `UPDATE bus._private_jobs SET locked_by = coalesce(locked_by, ?), locked_at = now() - interval '1 hour'
      WHERE task_id = (SELECT id FROM bus._private_tasks WHERE identifier = ?)`,
    [pool, task],
  );

const eventOf = (id: string) => ({
  specversion: '1.0' as const,
  id,
  source: 'comms-service',
  type: 'customer.changed',
  subject: 'C-1',
  time: '2030-01-01T00:00:00Z',
  data: { customer_id: 'C-1' },
});

test('jobs of a dead pool are freed; those of a living one stay with it, however long they take, its own reaper included', async () => {
  const inWork = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let deliveries = 0;
  const subscription = await bus.consume(queues.work, async (messages) => {
    deliveries += 1;
    inWork.resolve();
    await release.promise;
    return messages.map(() => ({ done: true }));
  });
  await bus.publish([{ event: eventOf('slow') }]);
  await inWork.promise;
  const [living] = await jobs();
  await lockFor('never', living.task_identifier);

  for (const round of ['one', 'two']) {
    await db.raw(`SELECT FROM bus.add_job('${abandoned}')`);
    await lockFor(`dead pool ${round}`, abandoned);
    await eventually(async () =>
      expect(await db('bus.jobs').where({ task_identifier: abandoned }).pluck('locked_by')).toEqual([null]),
    );
    await db.raw(`DELETE FROM bus._private_jobs WHERE locked_by IS NULL`);
  }
  expect(await jobs()).toEqual([living]);
  release.resolve();
  await eventually(async () => expect(await jobs()).toEqual([]));
  expect(deliveries).toBe(1);
  await subscription.close();
});

test('a job that its consumer was given and never heard of is delivered all the same', async () => {
  const delivered: unknown[] = [];
  const inWork = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await bus.consume(queues.work, async (messages) => {
    delivered.push(...messages.map(({ event }) => event));
    inWork.resolve();
    await release.promise;
    return messages.map(() => ({ done: true }));
  });
  await bus.publish([{ event: eventOf('heard') }]);
  await inWork.promise;
  const [{ task_identifier: task, locked_by: pool }] = await jobs();
  // As a connection leaves it that is lost after the job was locked and before the consumer was told.
  await db.transaction(async (trx) => {
    const payload = JSON.stringify([{ attempt: 1, event: eventOf('unheard') }]);
    await trx.raw('SELECT FROM bus.add_job(?, ?::json)', [task, payload]);
    await trx.raw('UPDATE bus._private_jobs SET locked_by = ?, locked_at = now() WHERE locked_by IS NULL', [pool]);
  });
  release.resolve();
  await eventually(async () => expect(await jobs()).toEqual([]));
  expect(delivered).toMatchObject([{ id: 'heard' }, { id: 'unheard' }]);
});
