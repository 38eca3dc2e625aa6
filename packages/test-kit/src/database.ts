import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface EmptyDatabase {
  name: string;
  /** As the superuser. */
  adminUrl: string;
  drop(): Promise<void>;
}

export interface CopiedDatabase extends EmptyDatabase {
  /** As one of the template's roles, by what it is called after the template's name. */
  urlOf(role: string): string;
  /** The database its roles are named after: they serve every copy of it in this run. */
  rolesOf: string;
  /** As if the server were gone: who is connected is cut off and nobody comes in; then as before. */
  turnAway(away: boolean): Promise<void>;
}

/** How a database looks when a test begins: whoever comes first in a run lays it out, all others have it copied. */
export interface Template {
  name: string;
  /** In an empty database, of which this is the superuser's address. Its roles begin with its name and have this password. */
  layOut(url: string, password: string): Promise<unknown>;
  /** Statements for what belongs to a database and is not in it, so that a copy lacks it. */
  admission(database: string, rolesOf: string): string;
}

export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const name = newName();
  await asAdmin((admin) => admin.query(`CREATE DATABASE ${name}`));
  return { name, adminUrl: addressOf(name), drop: () => drop(name) };
}

const newName = () => `${ofThisRun('test')}_${randomBytes(6).toString('hex')}`;

/** Every address of this run's roles; it goes into no file and ends with the run. */
const password = () => fromSetup('TEST_RUN');

/** A tenth of the work of laying one out. */
export async function copyOf(template: Template): Promise<CopiedDatabase> {
  const name = newName();
  const original = ofThisRun(template.name);
  await asAdmin(async (admin) => {
    await ensureTemplate(admin, template, original);
    // As files: through the log, as is usual, costs twice as much.
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${original} STRATEGY file_copy`);
    await admin.query(template.admission(name, original));
  });
  return {
    name,
    adminUrl: addressOf(name),
    urlOf: (role) => addressOf(name, `${original}_${role}`, password()),
    rolesOf: original,
    turnAway: (away) => turnAway(name, away),
    drop: () => drop(name),
  };
}

async function turnAway(name: string, away: boolean): Promise<void> {
  await asAdmin(async (admin) => {
    await admin.query(`ALTER DATABASE ${name} CONNECTION LIMIT ${away ? 0 : -1}`);
    if (away) await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  });
}

async function ensureTemplate(admin: pg.Client, { layOut }: Template, name: string): Promise<void> {
  const exists = async () =>
    (await admin.query('SELECT FROM pg_database WHERE datname = $1 AND datistemplate', [name])).rowCount === 1;
  if (await exists()) return;
  await admin.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
  try {
    if (await exists()) return;
    await drop(name);
    await admin.query(`CREATE DATABASE ${name}`);
    await layOut(addressOf(name), password());
    await admin.query(`ALTER DATABASE ${name} is_template true`);
  } finally {
    await admin.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
  }
}

/** What this run made on a server that outlives it: also the copies of suites that did not come to their end. */
export async function dropAll(): Promise<void> {
  const made = await asAdmin(async (admin) => {
    const { rows } = await admin.query(
      'SELECT datname AS name, datistemplate AS template FROM pg_database WHERE strpos(datname, $1) > 0 ORDER BY datistemplate',
      [ofThisRun('')],
    );
    for (const { name } of rows.filter(({ template }) => template))
      await admin.query(`ALTER DATABASE ${name} is_template false`);
    return rows.map(({ name }) => name as string);
  });
  for (const name of made) await drop(name);
}

const ofThisRun = (name: string) => `${name}_${fromSetup('TEST_RUN').slice(0, 12)}`;

function fromSetup(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: is global-setup in the jest configuration?`);
  return value;
}

function addressOf(database: string, user?: string, secret?: string): string {
  const url = new URL(fromSetup('TEST_DATABASE_URL'));
  url.pathname = `/${database}`;
  if (user) url.username = user;
  if (secret) url.password = secret;
  return url.href;
}

/** Roles are the whole server's, so those named after the database go with it. */
async function drop(name: string): Promise<void> {
  await asAdmin(async (admin) => {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    const { rows } = await admin.query('SELECT rolname FROM pg_roles WHERE starts_with(rolname, $1)', [`${name}_`]);
    // In one statement: they are members of each other, and one may have made the others so.
    if (rows.length > 0)
      await admin.query(`DROP ROLE ${rows.map(({ rolname }) => pg.escapeIdentifier(rolname)).join()}`);
  });
}

async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: fromSetup('TEST_DATABASE_URL') });
  // Of a server that a test kills; the query that was running rejects all the same.
  admin.on('error', () => undefined);
  await admin.connect();
  return work(admin).finally(() => admin.end());
}
