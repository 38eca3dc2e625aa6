import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { Db } from './database.ts';

interface Migration {
  /** `<owner>/<number>_<words>.sql`, the owner being the package or service the directory belongs to. */
  name: string;
  sql: string;
  checksum: string;
  /** The last of the earlier migrations that it holds the outcome of, by name and checksum, as its first lines say. */
  standsFor: Map<string, string>;
}

/** A building of an index on a large table may take its time; the limits of a request are not for migrations. */
const noTimeLimit = 2 ** 31 - 1;

/**
 * Brings the schema of the connection's role up to date: numbered .sql files, the directories in the order given.
 *
 * All that is missing is applied in one transaction under an advisory lock, so processes that start together wait
 * for one another and a killed one leaves nothing half done. A transaction-level lock works behind a
 * transaction-mode pooler too. Files this version does not have are left alone: a newer version may have run before.
 */
export async function migrate(db: Db, directories: readonly (string | URL)[]): Promise<void> {
  const migrations = (await Promise.all(directories.map(readMigrations))).flat();
  refuseTwins(migrations);
  const connection: pg.Client = await db.client.acquireConnection();
  try {
    await applyAll(connection, migrations);
  } finally {
    await db.client.releaseConnection(connection);
  }
}

export interface MigrationsFound {
  applied: string[];
  pending: string[];
  /** Why `migrate` would refuse to go on. */
  refusal?: string;
}

/** How the schema of the connection's role stands to these directories. Changes nothing. */
export async function findMigrations(
  connection: pg.ClientBase,
  directories: readonly (string | URL)[],
): Promise<MigrationsFound> {
  const migrations = (await Promise.all(directories.map(readMigrations))).flat();
  const { rows } = await connection.query("SELECT to_regclass('migrations') IS NOT NULL AS there");
  const applied = rows[0]?.there ? await appliedChecksums(connection) : new Map<string, string>();
  const names = (there: boolean) =>
    migrations.filter((one) => isApplied(one, applied) === there).map(({ name }) => name);
  const found = { applied: names(true), pending: names(false) };
  try {
    refuse(migrations, applied);
    return found;
  } catch (error) {
    return { ...found, refusal: (error as Error).message };
  }
}

async function applyAll(connection: pg.Client, migrations: Migration[]): Promise<void> {
  await run(connection, 'BEGIN');
  try {
    await run(connection, 'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
    await run(connection, "SELECT pg_advisory_xact_lock(hashtext('migrate'), hashtext(current_schema()))");
    await applyMissing(connection, migrations);
    await run(connection, 'COMMIT');
  } catch (error) {
    await run(connection, 'ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function applyMissing(connection: pg.Client, migrations: Migration[]): Promise<void> {
  await run(
    connection,
    `CREATE TABLE IF NOT EXISTS migrations (
       name text PRIMARY KEY,
       checksum text NOT NULL,
       applied_at timestamptz NOT NULL DEFAULT now()
     )`,
  );
  const applied = await appliedChecksums(connection);
  refuse(migrations, applied);
  for (const migration of migrations) {
    if (!isApplied(migration, applied)) await apply(connection, migration);
    if (!applied.has(migration.name)) await record(connection, migration);
  }
}

async function apply(connection: pg.Client, { name, sql }: Migration): Promise<void> {
  try {
    await run(connection, sql);
  } catch (error) {
    throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error });
  }
}

const record = (connection: pg.Client, { name, checksum }: Migration) =>
  run(connection, 'INSERT INTO migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);

/** Itself, or what it stands for. The rows of those stay: the version before may be started again. */
const isApplied = ({ name, standsFor }: Migration, applied: Map<string, string>): boolean =>
  applied.has(name) || [...standsFor].some(([earlier, checksum]) => applied.get(earlier) === checksum);

async function appliedChecksums(connection: pg.ClientBase): Promise<Map<string, string>> {
  const { rows } = await run<Applied>(connection, 'SELECT name, checksum FROM migrations');
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

/** Of two files under one name only the first would ever run. */
function refuseTwins(migrations: Migration[]): void {
  const names = migrations.map((migration) => migration.name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin) throw new Error(`Two migrations are called ${twin}`);
}

function refuse(migrations: Migration[], applied: Map<string, string>): void {
  refuseChanged(migrations, applied);
  refuseLatecomers(migrations, applied);
  refuseUnfinished(migrations, applied);
}

/** Something that a file stands for has run, and not all of it: its outcome is neither there nor can it be made. */
function refuseUnfinished(migrations: Migration[], applied: Map<string, string>): void {
  const owners = new Set([...applied.keys()].map(dirname));
  for (const one of migrations.filter((m) => m.standsFor.size > 0 && !isApplied(m, applied))) {
    const last = [...one.standsFor.keys()].find((earlier) => owners.has(dirname(earlier)));
    if (last)
      throw new Error(
        `This database was left by a version before the one that ended with ${last}, or it was changed by hand: start that version once, then this one`,
      );
  }
}

/** A file changed after it ran means that databases of the same version differ: better no start than that. */
function refuseChanged(migrations: Migration[], applied: Map<string, string>): void {
  const changed = migrations.filter(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum);
  if (changed.length > 0)
    throw new Error(
      `Changed after being applied: ${changed.map((m) => m.name).join(', ')}. Write a new migration instead`,
    );
}

/** A new file numbered below one that ran already would run in another order here than on an empty database. */
function refuseLatecomers(migrations: Migration[], applied: Map<string, string>): void {
  for (const { name } of migrations.filter((m) => !applied.has(m.name))) {
    const later = migrations.find((m) => dirname(m.name) === dirname(name) && m.name > name && applied.has(m.name));
    if (later)
      throw new Error(`Migration ${name} comes before ${later.name}, which has run already: give it a later number`);
  }
}

type Applied = Pick<Migration, 'name' | 'checksum'>;

function run<Row extends pg.QueryResultRow>(connection: pg.ClientBase, text: string, values?: string[]) {
  return connection.query<Row>({ text, ...(values && { values }), query_timeout: noTimeLimit } as pg.QueryConfig);
}

const fileName = /^\d{3,4}_[a-z0-9_]+\.sql$/;

async function readMigrations(directory: string | URL): Promise<Migration[]> {
  const path = resolve(directory instanceof URL ? fileURLToPath(directory) : directory);
  const files = (await readdir(path)).filter((file) => file.endsWith('.sql')).sort();
  refuseOddNames(path, files);
  return Promise.all(files.map((file) => readMigration(path, file)));
}

function refuseOddNames(path: string, files: string[]): void {
  const odd = files.find((file) => !fileName.test(file));
  if (odd) throw new Error(`${join(path, odd)}: a migration is named like 001_words.sql`);
  const numbers = files.map((file) => Number.parseInt(file, 10));
  const twice = numbers.find((number, index) => numbers.indexOf(number) !== index);
  if (twice) throw new Error(`${path}: two migrations are numbered ${twice}`);
}

/** Line ends are evened out first, since a checkout may change them. */
async function readMigration(path: string, file: string): Promise<Migration> {
  const sql = (await readFile(join(path, file), 'utf8')).replaceAll('\r\n', '\n');
  const checksum = createHash('sha256').update(sql).digest('hex');
  const [head = ''] = sql.split('\n\n');
  const standsFor = new Map(Array.from(head.matchAll(earlierMigration), ([, name = '', sum = '']) => [name, sum]));
  return { name: `${basename(dirname(path))}/${file}`, sql, checksum, standsFor };
}

const earlierMigration = /([a-z-]+\/\d{3,4}_[a-z0-9_]+\.sql) ([0-9a-f]{64})$/gm;
