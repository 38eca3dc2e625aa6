import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createEmptyDatabase, type EmptyDatabase } from '@ops/test-kit/database';
import pg from 'pg';
import { provision } from './provision.ts';

const passwords = { comms: "c'1", renewals: 'r"2', ingest: 'i/3', notifier: 'n@4', gateway: 'g 5' };
let database: EmptyDatabase;
let urls: Awaited<ReturnType<typeof provision>>;

beforeAll(async () => {
  database = await createEmptyDatabase();
  urls = await provision(database.adminUrl, passwords);
  for (const [schema, table] of [
    ['comms', 'communications'],
    ['renewals', 'renewals'],
  ] as const)
    await as(schema, `CREATE TABLE ${table} (id int); INSERT INTO ${table} VALUES (1)`);
});
afterAll(() => database.drop());

async function as(who: keyof typeof urls, sql: string) {
  const client = new pg.Client({ connectionString: urls[who] });
  await client.connect();
  return client.query(sql).finally(() => client.end());
}
const denied = { code: '42501' };

test('each service works in its own schema without naming it', async () => {
  expect((await as('comms', 'SELECT current_schema(), (SELECT count(*)::int FROM communications)')).rows).toEqual([
    { current_schema: 'comms', count: 1 },
  ]);
});

test.each([
  'SELECT * FROM renewals.renewals',
  'INSERT INTO renewals.renewals VALUES (2)',
  'CREATE TABLE renewals.mine (id int)',
  'CREATE TABLE public.mine (id int)',
  'create temporary table mine (id int)',
  'CREATE SCHEMA mine',
  'CREATE ROLE mine',
  'SET ROLE postgres',
  'DROP SCHEMA renewals CASCADE',
])('comms-service may not: %s', async (sql) => {
  await expect(as('comms', sql)).rejects.toMatchObject(denied);
});

test.each([
  'SELECT * FROM comms.communications',
  'SELECT * FROM renewals.renewals',
  'CREATE TABLE mine (id int)',
  'CREATE TABLE bus.mine (id int)',
])('the gateway may not: %s', async (sql) => {
  await expect(as('gateway', sql)).rejects.toMatchObject({ code: expect.stringMatching(/42501|3F000/) });
});

test('the gateway may connect and listen', async () => {
  await as('gateway', 'listen anything');
});

test('what one service makes in the bus schema as its owner, the others work with', async () => {
  await as(
    'comms',
    `SET ROLE "${database.name}_bus"; CREATE TABLE bus.shared (id int); INSERT INTO bus.shared VALUES (1)`,
  );
  expect((await as('notifier', 'SELECT * FROM bus.shared')).rows).toEqual([{ id: 1 }]);
});

test('a role of another database may not even connect', async () => {
  const neighbour = await createEmptyDatabase();
  const theirs = await provision(neighbour.adminUrl, passwords);
  const wrong = new URL(theirs.comms);
  wrong.pathname = `/${database.name}`;
  const client = new pg.Client({ connectionString: wrong.href });
  await expect(client.connect()).rejects.toMatchObject(denied);
  await neighbour.drop();
});

test('again, at once, and with a new password: nothing is lost and the new password counts', async () => {
  await Promise.all(Array.from({ length: 5 }, () => provision(database.adminUrl, { ...passwords, comms: 'new' })));
  urls = await provision(database.adminUrl, { ...passwords, comms: 'new' });
  expect((await as('comms', 'SELECT count(*)::int FROM communications')).rows).toEqual([{ count: 1 }]);
  const { rows } = await as(
    'comms',
    `SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user`,
  );
  expect(rows).toEqual([{ rolsuper: false, rolcreatedb: false, rolcreaterole: false }]);
});

test('the bus is installed for the services, and closed to the gateway', async () => {
  expect((await as('ingest', 'SELECT count(*)::int FROM bus.jobs')).rows).toEqual([{ count: 0 }]);
  await expect(as('gateway', 'SELECT * FROM bus.jobs')).rejects.toMatchObject(denied);
});

test('an administrator who is no superuser can do it, as on a managed server', async () => {
  const managed = await createEmptyDatabase();
  const admin = `${managed.name}_admin`;
  const root = new pg.Client({ connectionString: managed.adminUrl });
  await root.connect();
  await root.query(
    `CREATE ROLE ${admin} LOGIN CREATEROLE PASSWORD 'x'; ALTER DATABASE ${managed.name} OWNER TO ${admin}`,
  );
  const url = new URL(managed.adminUrl);
  url.username = admin;
  url.password = 'x';
  for (let run = 0; run < 2; run++)
    expect((await provision(url.href, passwords)).comms).toContain(`${managed.name}_comms`);
  await root.query(`ALTER DATABASE ${managed.name} OWNER TO current_user`);
  await root.end();
  await managed.drop();
});

test('a missing password and a name too long for its roles are refused before anything is made', async () => {
  await expect(provision(database.adminUrl, { ...passwords, gateway: '' })).rejects.toThrow(
    'No password given for gateway',
  );
  await expect(provision(`${new URL('/', database.adminUrl)}${'x'.repeat(60)}`, passwords)).rejects.toThrow('too long');
});
