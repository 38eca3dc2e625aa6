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
  'CREATE TABLE comms.mine (id int)',
  'CREATE TABLE bus.mine (id int)',
])('the gateway may not: %s', async (sql) => {
  await expect(as('gateway', sql)).rejects.toMatchObject({ code: expect.stringMatching(/42501|3F000/) });
});

test('the gateway may connect and listen', async () => {
  await as('gateway', 'listen anything');
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
  const jobs = 'SELECT count(*)::int FROM bus._private_jobs';
  expect((await as('ingest', jobs)).rows).toEqual([{ count: 0 }]);
  await expect(as('gateway', jobs)).rejects.toMatchObject(denied);
  await expect(as('ingest', `SET ROLE "${database.name}_bus"`)).rejects.toMatchObject(denied);
});

/** Administrators who are no superusers, as on managed servers. Whoever comes next is given the database and its roles. */
async function managedDatabase() {
  const managed = await createEmptyDatabase();
  const root = new pg.Client({ connectionString: managed.adminUrl });
  await root.connect();
  const giveTo = (role: string) => root.query(`ALTER DATABASE ${managed.name} OWNER TO ${role}`);
  return {
    adminUrl: managed.adminUrl,
    root,
    async as(name: string): Promise<string> {
      const role = `${managed.name}_${name}`;
      const { rowCount } = await root.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
      if (!rowCount) await root.query(`CREATE ROLE ${role} LOGIN CREATEROLE PASSWORD 'x'`);
      await giveTo(role);
      const { rows } = await root.query(
        'SELECT quote_ident(rolname) AS name FROM pg_roles WHERE starts_with(rolname, $1) AND NOT rolcreaterole',
        [`${managed.name}_`],
      );
      if (rows.length > 0)
        await root.query(`GRANT ${rows.map(({ name: given }) => given).join()} TO ${role} WITH ADMIN OPTION`);
      const url = new URL(managed.adminUrl);
      url.username = role;
      url.password = 'x';
      return url.href;
    },
    async drop() {
      await giveTo('current_user');
      await root.end();
      await managed.drop();
    },
  };
}

const writeAudit = `INSERT INTO audit (id, actor, role, request_id, action, subject_kind, subject_id, digests)
  VALUES (gen_random_uuid(), 'a', 'staff', 'r', 'x', 'task', '1', '[]')`;

test('administrators who are no superusers can do it, one after the other, and after the superuser', async () => {
  const managed = await managedDatabase();
  for (const name of ['first', 'first', 'second', 'superuser', 'third']) {
    urls = await provision(name === 'superuser' ? managed.adminUrl : await managed.as(name), passwords);
    await as('comms', writeAudit);
  }
  expect(
    (await as('comms', 'SELECT remove_audit(ARRAY(SELECT id FROM audit)); SELECT id FROM audit')) as unknown,
  ).toEqual([expect.objectContaining({ command: 'SELECT' }), expect.objectContaining({ rowCount: 5 })]);
  await expect(as('comms', 'DELETE FROM audit')).rejects.toMatchObject(denied);
  urls = await provision(database.adminUrl, passwords);
  await managed.drop();
});

test('what the version before made as the administrator is handed over, whole', async () => {
  const managed = await managedDatabase();
  const first = await managed.as('first');
  urls = await provision(first, passwords);
  await as('comms', writeAudit);
  const { username } = new URL(first);
  for (const one of [
    'SCHEMA comms_audit',
    'TABLE comms_audit.audit',
    'TABLE comms_audit.audit_values',
    'FUNCTION comms_audit.remove_audit',
  ])
    await managed.root.query(`ALTER ${one} OWNER TO ${username}`);
  for (const name of ['first', 'second']) urls = await provision(await managed.as(name), passwords);
  expect((await as('comms', 'SELECT id FROM audit')).rowCount).toBe(1);
  urls = await provision(database.adminUrl, passwords);
  await managed.drop();
});

test('who may not become the role that owns who changed what: every service', async () => {
  for (const name of ['comms', 'renewals', 'ingest', 'notifier', 'gateway'] as const)
    await expect(as(name, `SET ROLE "${database.name}_audit"`)).rejects.toMatchObject(denied);
});

test('a missing password and a name too long for its roles are refused before anything is made', async () => {
  await expect(provision(database.adminUrl, { ...passwords, gateway: '' })).rejects.toThrow(
    'No password given for gateway',
  );
  await expect(provision(`${new URL('/', database.adminUrl)}${'x'.repeat(60)}`, passwords)).rejects.toThrow('too long');
});
