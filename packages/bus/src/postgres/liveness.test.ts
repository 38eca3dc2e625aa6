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

const jobs = () => db('bus.jobs').select('task_identifier', 'locked_by');
const lockFor = (pool: string, task: string) =>
  db.raw(
    `UPDATE bus._private_jobs SET locked_by = coalesce(locked_by, ?), locked_at = now() - interval '1 hour'
      WHERE task_id = (SELECT id FROM bus._private_tasks WHERE identifier = ?)`,
    [pool, task],
  );

test('jobs of a dead pool are freed; those of a living one stay with it, however long they take, its own reaper included', async () => {
  const inWork = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let deliveries = 0;
  await bus.consume(queues.work, async (messages) => {
    deliveries += 1;
    inWork.resolve();
    await release.promise;
    return messages.map(() => ({ done: true }));
  });
  const { data } = { data: { customer_id: 'C-1' } };
  const event = {
    specversion: '1.0' as const,
    source: 'comms-service',
    subject: 'C-1',
    time: '2030-01-01T00:00:00Z',
    data,
  };
  await bus.publish([{ event: { ...event, id: 'slow', type: 'customer.changed' } }]);
  await inWork.promise;
  const [living] = await jobs();
  await lockFor('never', living.task_identifier);

  for (const round of ['one', 'two']) {
    await db.raw("SELECT FROM bus.add_job('abandoned')");
    await lockFor(`dead pool ${round}`, 'abandoned');
    await eventually(async () =>
      expect(await db('bus.jobs').where({ task_identifier: 'abandoned' }).pluck('locked_by')).toEqual([null]),
    );
    await db.raw(`DELETE FROM bus._private_jobs WHERE locked_by IS NULL`);
  }
  expect(await jobs()).toEqual([living]);
  release.resolve();
  await eventually(async () => expect(await jobs()).toEqual([]));
  expect(deliveries).toBe(1);
});
