import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createProvisionedDatabase, type TestDatabase } from '../../test/database.ts';
import { type Db, openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

let database: TestDatabase;
let db: Db;
let root: string;

beforeAll(async () => {
  database = await createProvisionedDatabase();
  db = openDatabase(database.urls.comms, { applicationName: 'kit-test' });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kit-migrate-'));
});
afterEach(async () => {
  await db.raw('drop table if exists a, b, migrations');
  await rm(root, { recursive: true });
});

/** A directory of migrations belonging to `owner`. */
async function directoryOf(owner: string, files: Record<string, string>): Promise<string> {
  const directory = join(root, owner, 'migrations');
  await mkdir(directory, { recursive: true });
  for (const [name, sql] of Object.entries(files)) await writeFile(join(directory, name), sql);
  return directory;
}
const applied = async () => (await db('migrations').orderBy(['applied_at', 'name'])).map((row) => row.name);

test('directories run in the order given, files by number, each once', async () => {
  const kit = await directoryOf('kit', {
    '002_b.sql': 'insert into a values (2)',
    '001_a.sql': 'create table a (id int)',
  });
  const own = await directoryOf('own', { '001_a.sql': 'insert into a values (3); insert into a values (4)' });
  await migrate(db, [kit, own]);
  await migrate(db, [kit, own]);
  expect((await db('a')).map((row) => row.id)).toEqual([2, 3, 4]);
  expect(await applied()).toEqual(['kit/001_a.sql', 'kit/002_b.sql', 'own/001_a.sql']);
});

test('what looks like a placeholder to a query builder is left as it is written', async () => {
  const own = await directoryOf('own', {
    '001_a.sql': `-- why? because\ncreate table a as select '{"k":1}'::jsonb ? 'k' as has`,
  });
  await migrate(db, [own]);
  expect(await db('a')).toEqual([{ has: true }]);
});

test('one that fails leaves nothing of any of them, and is named', async () => {
  const own = await directoryOf('own', {
    '001_a.sql': 'create table a (id int)',
    '002_b.sql': 'create table b (id nonsense)',
  });
  await expect(migrate(db, [own])).rejects.toThrow('own/002_b.sql');
  expect(await db.schema.hasTable('a')).toBe(false);
  expect(await db.schema.hasTable('migrations')).toBe(false);
});

test('a file that was changed after it ran stops the start; changed line ends do not count', async () => {
  const own = await directoryOf('own', { '001_a.sql': 'create table a (id int);\n' });
  await migrate(db, [own]);
  await directoryOf('own', { '001_a.sql': 'create table a (id int);\r\n' });
  await migrate(db, [own]);
  await directoryOf('own', { '001_a.sql': 'create table a (id bigint);\n' });
  await expect(migrate(db, [own])).rejects.toThrow('Changed after being applied: own/001_a.sql');
});

test('a file stands for the earlier ones it names: it does not run where the last of them did, and runs where none has', async () => {
  const sum = (sql: string) => createHash('sha256').update(sql).digest('hex');
  const before = { '001_a.sql': 'create table a (id int)', '002_b.sql': 'create table b (id int)' };
  const own = await directoryOf('own', before);
  const squashed = {
    '001_tables.sql': `-- own/002_b.sql ${sum(before['002_b.sql'])}\n\ncreate table a (id int); create table b (id int)`,
  };
  const next = await directoryOf('next/own', squashed);
  await migrate(db, [own]);
  await migrate(db, [next]);
  await migrate(db, [next]);
  expect(await applied()).toEqual(['own/001_a.sql', 'own/002_b.sql', 'own/001_tables.sql']);
  // As the version before would, should it come back.
  await migrate(db, [own]);
  await db.raw('drop table a, b, migrations');
  await migrate(db, [next]);
  expect(await applied()).toEqual(['own/001_tables.sql']);
});

test('a version that knows fewer migrations than have run starts all the same', async () => {
  const own = await directoryOf('own', {
    '001_a.sql': 'create table a (id int)',
    '002_b.sql': 'create table b (id int)',
  });
  await migrate(db, [own]);
  await rm(join(own, '002_b.sql'));
  await migrate(db, [own]);
});

test('a new file numbered below one that has run is refused', async () => {
  const own = await directoryOf('own', { '002_b.sql': 'create table b (id int)' });
  await migrate(db, [own]);
  await directoryOf('own', { '001_a.sql': 'create table a (id int)' });
  await expect(migrate(db, [own])).rejects.toThrow('give it a later number');
});

test.each([
  ['no number', { 'a.sql': '' }, 'named like'],
  ['a number twice', { '001_a.sql': '', '001_b.sql': '' }, 'numbered 1'],
])('files with %s are refused', async (_what, files, message) => {
  await expect(migrate(db, [await directoryOf('own', files)])).rejects.toThrow(message);
});

test('two directories whose files share a name are refused', async () => {
  const own = await directoryOf('own', { '001_a.sql': 'create table a (id int)' });
  await expect(migrate(db, [own, own])).rejects.toThrow('own/001_a.sql');
});

/** Needs a while for each, so that the processes really meet. */
const slow = {
  '001_a.sql': 'create table a (id int); select pg_sleep(0.1)',
  '002_b.sql': 'insert into a values (1); select pg_sleep(0.1)',
  '003_c.sql': 'insert into a values (2)',
};

const script = fileURLToPath(new URL('../../test/migrate-process.ts', import.meta.url));

function migrateInProcess(directory: string): ChildProcess {
  return spawn(process.execPath, [script, database.urls.comms, directory], { stdio: ['ignore', 'inherit', 'inherit'] });
}
async function exitOf(child: ChildProcess): Promise<unknown> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode ?? child.signalCode;
}

test('processes that start together all come up, and each migration ran once', async () => {
  const own = await directoryOf('own', slow);
  const exits = await Promise.all(Array.from({ length: 5 }, () => exitOf(migrateInProcess(own))));
  expect(exits).toEqual([0, 0, 0, 0, 0]);
  expect((await db('a')).map((row) => row.id)).toEqual([1, 2]);
});

test('a process killed in the middle leaves nothing half done, and those that waited for it finish', async () => {
  const held = 'insert into a values (2); select pg_advisory_xact_lock(42)';
  const own = await directoryOf('own', { ...slow, '003_c.sql': held });
  const gate = await db.transaction();
  await gate.raw('select pg_advisory_xact_lock(42)');
  const victim = migrateInProcess(own);
  await untilWaiting(1);
  const others = [migrateInProcess(own), migrateInProcess(own)];
  await untilWaiting(3);
  victim.kill('SIGKILL');
  expect(await exitOf(victim)).toBe('SIGKILL');
  await gate.commit();
  expect(await Promise.all(others.map(exitOf))).toEqual([0, 0]);
  expect((await db('a')).map((row) => row.id)).toEqual([1, 2]);
  expect(await applied()).toHaveLength(3);
});

/** Until so many connections of this database wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  const { rows } = await db.raw(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  if (rows.length < count) await untilWaiting(count);
}
