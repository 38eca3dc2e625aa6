import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProvisionedDatabase, type TestDatabase } from '../../test/database.ts';
import { type Db, inTransaction, openDatabase, reading } from './database.ts';
import { isDatabaseUnavailable } from './database-errors.ts';

let database: TestDatabase;
let db: Db;
let other: Db;

beforeAll(async () => {
  database = await createProvisionedDatabase();
  db = openDatabase(database.urls.comms, { applicationName: 'kit-test' });
  other = openDatabase(database.urls.comms, { applicationName: 'kit-test-other' });
  await db.raw(
    'CREATE TABLE counters (id int PRIMARY KEY, n int NOT NULL); INSERT INTO counters VALUES (1, 0), (2, 0)',
  );
});
afterAll(async () => {
  await Promise.all([db.destroy(), other.destroy()]);
  await database.drop();
});

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('it worked'),
    (error) => error,
  );

test('a date stays the plain date it is, also in an array; an instant is a Date; a bigint keeps all its digits', async () => {
  const { rows } = await db.raw(
    `SELECT date '2024-02-29' AS day, ARRAY[date '0001-01-01', NULL] AS days, timestamptz '2024-01-01T00:00:00Z' AS at, 9007199254740993 AS big`,
  );
  expect(rows[0]).toEqual({
    day: '2024-02-29',
    days: ['0001-01-01', null],
    at: new Date('2024-01-01T00:00:00Z'),
    big: '9007199254740993',
  });
});

test('a failed statement does not quote the values it was given', async () => {
  const failure = await failureOf(db('counters').insert({ id: 1, n: 424242 }));
  expect(failure).toMatchObject({ code: '23505' });
  expect(`${failure.message}${failure.stack}`).not.toContain('424242');
});

test('connections that the server ends while they are idle disturb nobody', async () => {
  await Promise.all(Array.from({ length: 8 }, () => db.raw('SELECT 1')));
  await endConnectionsOf('kit-test');
  const work = () => inTransaction(db, (trx) => trx('counters').where({ id: 1 }).first());
  const read = () => reading(() => db('counters').where({ id: 1 }).first());
  expect(await Promise.all([work(), read(), work(), read()])).toEqual(Array(4).fill({ id: 1, n: 0 }));
});

test('a connection that the server ends at work fails that work as unavailable, and the next one works', async () => {
  const failure = await failureOf(
    inTransaction(db, async (trx) => {
      await trx('counters').where({ id: 1 }).increment('n');
      await endConnectionsOf('kit-test');
      await trx('counters').where({ id: 1 }).increment('n');
    }),
  );
  expect(isDatabaseUnavailable(failure)).toBe(true);
  expect(await reading(() => db('counters').where({ id: 1 }).first())).toEqual({ id: 1, n: 0 });
});

const endConnectionsOf = (name: string) =>
  other.raw(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ? AND datname = current_database()',
    [name],
  );

test('the pool lets all its connections go', () => {
  expect(db.client.pool).toMatchObject({ min: 0, max: 10 });
});

test('roles carry the time limits of statements, locks and idle transactions', async () => {
  const { rows } = await db.raw(
    `SELECT name, setting FROM pg_settings
      WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') ORDER BY name`,
  );
  expect(rows.map((row: { setting: string }) => row.setting)).toEqual(['30000', '10000', '30000']);
});

test.each(['statement_timeout', 'lock_timeout'])('running into %s is unavailable, not a bug', async (limit) => {
  const failure = await failureOf(
    inTransaction(db, async (trx) => {
      await trx.raw(`SET LOCAL ${limit} = 20`);
      await other.transaction(async (holder) => {
        await holder('counters').where({ id: 1 }).forUpdate();
        await trx('counters').where({ id: 1 }).forUpdate();
      });
    }),
  );
  expect(isDatabaseUnavailable(failure)).toBe(true);
});

test('an address where nobody listens fails at once, as unavailable', async () => {
  const nobody = openDatabase('postgres://nobody@127.0.0.1:1/none', { applicationName: 'kit-test' });
  expect(isDatabaseUnavailable(await failureOf(nobody.raw('SELECT 1')))).toBe(true);
  await nobody.destroy();
});

test('a server that accepts and then says nothing is given up, as unavailable', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as { port: number };
  const away = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`, { applicationName: 'kit-test' });
  expect(isDatabaseUnavailable(await failureOf(away.raw('SELECT 1')))).toBe(true);
  for (const socket of sockets) socket.destroy();
  await away.destroy();
  await new Promise((resolve) => silent.close(resolve));
});

test('a connection whose query was given up on our side is not handed out again', async () => {
  const single = openDatabase(database.urls.comms, { applicationName: 'kit-test-single', max: 1 });
  const pid = async () => (await single.raw('SELECT pg_backend_pid() AS pid')).rows[0].pid;
  const before = await pid();
  const failure = await failureOf(Promise.resolve(single.raw('SELECT pg_sleep(20)').options({ query_timeout: 30 })));
  expect(isDatabaseUnavailable(failure)).toBe(true);
  expect(await pid()).not.toBe(before);
  await single.destroy();
});

test('two transactions that deadlock both come through', async () => {
  const both = Promise.withResolvers<void>();
  let first = 0;
  const move = (from: number, to: number) =>
    inTransaction(db, async (trx) => {
      await trx('counters').where({ id: from }).increment('n');
      if (++first === 2) both.resolve();
      await both.promise;
      await trx('counters').where({ id: to }).increment('n');
    });
  await Promise.all([move(1, 2), move(2, 1)]);
  expect(await db('counters').orderBy('id')).toEqual([
    { id: 1, n: 2 },
    { id: 2, n: 2 },
  ]);
});

test('a transaction that is asked to run again for ever gives up, as unavailable', async () => {
  let runs = 0;
  const failure = await failureOf(
    inTransaction(db, async (trx) => {
      runs++;
      await trx.raw(`DO $$ BEGIN RAISE EXCEPTION 'again' USING errcode = '40001'; END $$`);
    }),
  );
  expect([runs, isDatabaseUnavailable(failure)]).toEqual([5, true]);
});

test('any other failure runs once and undoes all', async () => {
  let runs = 0;
  const failure = await failureOf(
    inTransaction(db, async (trx) => {
      runs++;
      await trx('counters').where({ id: 1 }).update({ n: 99 });
      throw new Error('no');
    }),
  );
  expect([runs, failure.message, isDatabaseUnavailable(failure)]).toEqual([1, 'no', false]);
  expect(await db('counters').where({ n: 99 })).toEqual([]);
});

test('a failed statement that somebody swallowed still fails the transaction', async () => {
  const failure = await failureOf(
    inTransaction(db, async (trx) => {
      await trx('counters').where({ id: 1 }).update({ n: 99 });
      await trx('counters')
        .insert({ id: 1, n: 0 })
        .catch(() => undefined);
    }),
  );
  expect(failure.message).toContain('rolled back: a statement of the transaction had failed');
  expect(await db('counters').where({ n: 99 })).toEqual([]);
});

/** Texts the server has parsed for the one connection of this pool. */
const preparedBy = async (pool: Db): Promise<string[]> =>
  (await pool.raw('SELECT statement FROM pg_prepared_statements ORDER BY 1')).rows.map(
    ({ statement }: { statement: string }) => statement,
  );

const onePool = (prepared?: boolean) =>
  openDatabase(database.urls.comms, {
    applicationName: 'kit-test-prepared',
    max: 1,
    ...(prepared !== undefined && { prepared }),
  });

test('a statement that comes again is parsed once; one that comes once, and any where that is off, is not kept', async () => {
  for (const [prepared, kept] of [
    [undefined, ['select "n" from "counters" where "id" = $1']],
    [false, []],
  ] as const) {
    const pool = onePool(prepared);
    for (const id of [1, 2, 1, 2]) expect(await pool('counters').where({ id }).select('n')).toHaveLength(1);
    await pool('counters').whereIn('id', [1, 2, 3]).select('n');
    expect(await preparedBy(pool)).toEqual(kept);
    await pool.destroy();
  }
});

test('of statements of every length the server keeps a bounded number', async () => {
  const pool = onePool();
  for (let turn = 0; turn < 2; turn++)
    for (let length = 1; length <= 200; length++)
      await pool('counters')
        .whereIn(
          'id',
          Array.from({ length }, (_, id) => id),
        )
        .select('n');
  expect((await preparedBy(pool)).length).toBe(150);
  await pool.destroy();
});

test('a column that a later version adds disturbs no statement that was prepared before, within a transaction or not', async () => {
  const pool = openDatabase(database.urls.comms, { applicationName: 'kit-test-prepared', max: 3 });
  const atOnce = () => Promise.all(Array.from({ length: 9 }, (_, n) => pool('counters').where({ id: 1 + (n % 2) })));
  const within = () => inTransaction(pool, (trx) => trx('counters').where({ id: 2 }).forUpdate());
  for (let turn = 0; turn < 3; turn++) await Promise.all([atOnce(), within(), within()]);
  await other.raw('ALTER TABLE counters ADD added int');
  expect(await within()).toEqual([{ id: 2, n: expect.any(Number), added: null }]);
  expect((await atOnce()).flat()).toHaveLength(9);
  await other.raw('ALTER TABLE counters DROP added');
  expect((await atOnce()).flat()).toHaveLength(9);
  expect(await within()).toEqual([{ id: 2, n: expect.any(Number) }]);
  await pool.destroy();
});
