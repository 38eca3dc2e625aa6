import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import type { Knex } from 'knex';
import { eventOf, openPostgresBus, type PostgresBus } from '../../test/postgres-bus.ts';
import { queues } from '../conformance/events.ts';
import type { Bus } from '../port.ts';

let world: PostgresBus;
let db: Knex;
let bus: Bus;

beforeAll(async () => {
  world = await openPostgresBus();
  ({ db, bus } = world);
});
afterAll(() => world.close());

const abandoned = 'comms-service:customer:abandoned';
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
