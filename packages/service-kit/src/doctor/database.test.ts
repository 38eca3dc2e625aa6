import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProvisionedDatabase, type TestDatabase } from '../../test/database.ts';
import { type Db, openDatabase } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { sharedMigrations } from '../database/shared-migrations.ts';
import { backlogLines } from './backlog.ts';
import { databaseCheck } from './database.ts';
import { examine } from './examine.ts';
import type { Line } from './finding.ts';

const outboxRow = { event_id: '1', type: 'task.changed', event: '{}' };
const deadLetter = {
  id: '01900000-0000-7000-8000-000000000001',
  queue: 'notifier:receipt:match',
  event_id: '1',
  subject: 'x',
  event_type: 'provider.receipt.received',
  body: '{}',
  attempts: 5,
  error: 'no',
};

let folder: string;
let migrations: URL;
let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ops-doctor-'));
  migrations = pathToFileURL(join(folder, 'migrations/'));
  await mkdir(migrations);
  await writeFile(new URL('001_first.sql', migrations), 'CREATE TABLE first (id int);');
  database = await createProvisionedDatabase();
  db = openDatabase(database.urls.notifier, { applicationName: 'doctor-test' });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function look(change: { url?: string; carriesEvents?: boolean } = {}): Promise<Map<string, Line>> {
  const settings = {
    process: 'notifier',
    migrations: [...sharedMigrations, migrations],
    carriesEvents: true,
    timeoutMs: 5000,
    also: backlogLines,
  } as const;
  const lines = await examine([databaseCheck({ ...settings, url: database.urls.notifier, ...change })], 10_000);
  return new Map(lines.map((line) => [line.name, line]));
}

test('before the first migration, then after it, then with a file that was changed', async () => {
  const fresh = await look();
  expect(fresh.get('database')).toMatchObject({ status: 'ok', said: expect.stringMatching(/^PostgreSQL \d+/) });
  expect(fresh.get('rights')).toMatchObject({ status: 'ok' });
  expect(fresh.get('clock')).toMatchObject({ status: 'ok', said: 'agrees with Postgres' });
  expect(fresh.get('migrations')).toMatchObject({
    status: 'warning',
    said: expect.stringMatching(/^0 applied, \d+ pending: bus\/001_tables.sql, .*001_first.sql$/),
    fix: expect.stringContaining('docker compose run --rm migrate'),
  });
  expect(fresh.has('outbox')).toBe(false);
  const { rows } = await db.raw("SELECT to_regclass('migrations') AS there");
  expect(rows[0].there).toBeNull();

  await migrate(db, [...sharedMigrations, migrations]);
  const done = await look();
  expect(done.get('migrations')).toMatchObject({ status: 'ok' });
  expect(done.get('outbox')).toMatchObject({ status: 'ok', said: 'empty' });
  expect(done.get('dead letters')).toMatchObject({ status: 'ok', said: 'none' });
  expect(done.get('audit')).toMatchObject({ status: 'ok', said: 'nothing is sealed yet' });

  await writeFile(new URL('001_first.sql', migrations), 'CREATE TABLE other (id int);');
  expect((await look()).get('migrations')).toMatchObject({
    status: 'failed',
    said: expect.stringMatching(/^Changed after being applied: .*001_first.sql/),
  });
  await writeFile(new URL('001_first.sql', migrations), 'CREATE TABLE first (id int);');
});

test('what waits too long and what was given up on is told', async () => {
  await db('outbox').insert({ ...outboxRow, created_at: new Date(Date.now() - 3_600_000) });
  await db('dead_letters').insert(deadLetter);
  const lines = await look();
  expect(lines.get('outbox')).toMatchObject({ status: 'warning', said: 'the oldest event has waited for 60 minutes' });
  expect(lines.get('dead letters')).toMatchObject({ status: 'warning', said: '1 of notifier:receipt:match' });
});

test('who changed what is looked at, and what was changed of it told', async () => {
  const owner = openDatabase(database.adminUrl, { applicationName: 'kit-test' });
  const write = (n: number) =>
    db.raw(
      `INSERT INTO audit (id, actor, role, request_id, action, subject_kind, subject_id, digests)
       SELECT gen_random_uuid(), 'a', 'staff', 'r', 'x', 'task', n::text, '[]' FROM generate_series(1, ?) n`,
      [n],
    );
  await write(1_500);
  await db.raw('SELECT seal_audit(2000)');
  const said = 'the newest 1000 rows are as they were written';
  expect((await look()).get('audit')).toMatchObject({ status: 'ok', said });
  await owner.raw(
    `UPDATE notifier_audit.audit SET actor = 'b' WHERE id = (SELECT audit_id FROM notifier_audit.audit_seals WHERE seq = 1400)`,
  );
  expect((await look()).get('audit')).toMatchObject({ status: 'failed', said: expect.stringContaining('seal 1400') });
  await owner.destroy();
});

test('a superuser is refused, and so is the role of another service', async () => {
  expect((await look({ url: database.adminUrl })).get('rights')).toMatchObject({
    status: 'failed',
    said: expect.stringContaining('is a superuser'),
    fix: expect.stringContaining('secrets/notifier_database_url'),
  });
  expect((await look({ url: database.urls.comms })).get('rights')).toMatchObject({
    status: 'failed',
    said: expect.stringContaining('reads the schemas of others: comms'),
  });
});

test.each([
  ['a server that is not there', { port: '1' }, /ECONNREFUSED/, /is Postgres up/],
  ['a host nobody knows', { hostname: 'postgres.invalid' }, /ENOTFOUND|EAI_AGAIN/, /is Postgres up/],
  ['a database that is not there', { pathname: '/nowhere' }, /does not exist/, /make the database/],
  ['a wrong password', { password: 'not-the-password' }, /password authentication failed/, /run migrate/],
])('%s', async (_, change, said, fix) => {
  const url = Object.assign(new URL(database.urls.notifier), change).href;
  const lines = await look({ url });
  expect([...lines.keys()]).toEqual(['database']);
  expect(lines.get('database')).toMatchObject({
    status: 'failed',
    said: expect.stringMatching(said),
    fix: expect.stringMatching(fix),
  });
  expect(JSON.stringify([...lines])).not.toContain(new URL(url).password);
});

test('a role without its schema', async () => {
  const owner = openDatabase(database.adminUrl, { applicationName: 'doctor-test' });
  await owner.raw(`ALTER ROLE ${database.rolesOf}_notifier IN DATABASE ${database.name} SET search_path = public`);
  await owner.destroy();
  expect((await look()).get('rights')).toMatchObject({
    status: 'failed',
    said: expect.stringContaining('does not see the schema notifier'),
  });
});
