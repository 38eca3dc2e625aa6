import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import type { Knex } from 'knex';
import { eventOf, openPostgresBus, type PostgresBus } from '../../test/postgres-bus.ts';
import { queues } from '../conformance/events.ts';
import type { Bus } from '../port.ts';
import { clientConfig, openPool } from './client.ts';

let world: PostgresBus;
let db: Knex;
let bus: Bus;

beforeAll(async () => {
  world = await openPostgresBus();
  ({ db, bus } = world);
});
afterAll(() => world.close());

/** The first job is written off once lock 1 is let go, and fails; the two after it once lock 2 is. */
const holdUp = `
  CREATE SEQUENCE written; GRANT USAGE ON SEQUENCE written TO PUBLIC;
  CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE n bigint := nextval('public.written');
  BEGIN
    IF n <= 3 THEN PERFORM pg_advisory_xact_lock_shared(least(n, 2)); END IF;
    IF n = 1 THEN RAISE 'it cannot be written off'; END IF;
    RETURN OLD;
  END $$;
  CREATE TRIGGER hold_up BEFORE DELETE ON bus._private_jobs FOR EACH ROW EXECUTE FUNCTION hold_up()`;

const waitingFor = async (lock: number) =>
  Number(
    (
      await db.raw('SELECT count(*) AS n FROM pg_locks WHERE NOT granted AND objid = ? AND locktype = ?', [
        lock,
        'advisory',
      ])
    ).rows[0].n,
  );

test('a job that could not be written off comes again, though its pool never ends', async () => {
  await db.raw(holdUp);
  const trx = await db.transaction();
  await trx.raw('SELECT pg_advisory_lock(1), pg_advisory_lock(2)');
  const taken: string[] = [];
  const mayEnd = Promise.withResolvers<void>();
  const subscription = await bus.consume(queues.work, async (messages) => {
    const ids = messages.map(({ event }) => (event as { id: string }).id);
    taken.push(...ids);
    if (ids.includes('fourth')) await mayEnd.promise;
    return messages.map(() => ({ done: true }));
  });
  for (const id of ['first', 'second', 'third', 'fourth']) {
    await bus.publish([{ event: eventOf(id) }]);
    await eventually(() => expect(taken).toContain(id));
    // Else the second could be written off before the first.
    await eventually(async () => expect(await waitingFor(1)).toBe(1));
  }
  await eventually(async () => expect([await waitingFor(1), await waitingFor(2)]).toEqual([1, 2]));
  await trx.raw('SELECT pg_advisory_unlock(1)');
  await eventually(async () => expect(await waitingFor(1)).toBe(0));
  await trx.raw('SELECT pg_advisory_unlock(2)');
  await eventually(async () => expect(await db('bus._private_jobs').count()).toEqual([{ count: '2' }]));
  mayEnd.resolve();
  await eventually(() => expect(taken).toEqual(['first', 'second', 'third', 'fourth', 'first']), { timeoutMs: 60_000 });
  await trx.rollback();
  await subscription.close();
});

test('a connection that is given back twice is given back once', async () => {
  const pool = openPool({ ...clientConfig(world.adminUrl, 'test'), max: 1 });
  const given = Promise.withResolvers<() => void>();
  pool.connect((_error, _client, letGo) => given.resolve(letGo));
  const letGo = await given.promise;
  letGo();
  const next = await pool.connect();
  letGo();
  expect(pool.idleCount).toBe(0);
  next.release();
  await pool.end();
});
