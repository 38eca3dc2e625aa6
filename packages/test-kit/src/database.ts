import { randomBytes } from 'node:crypto';
import type { DatabaseUrls } from '@ops/embedded/system';
import { createLogger } from '@ops/service-kit/logger';
import { prepareDatabase } from '@ops/service-kit/prepare-database';
import { admission, provision } from '@ops/service-kit/provision';
import pg from 'pg';

export type DatabaseOwner = keyof DatabaseUrls;

export interface EmptyDatabase {
  name: string;
  /** As the superuser. */
  adminUrl: string;
  drop(): Promise<void>;
}

export interface TestDatabase extends EmptyDatabase {
  /** As the role of one schema, as its service would connect. */
  urls: DatabaseUrls;
  /** The database its roles are named after: they serve every copy of it in this run. */
  rolesOf: string;
  /** As if the server were gone: who is connected is cut off and nobody comes in; then as before. */
  turnAway(away: boolean): Promise<void>;
}

/** A database of the test file's own as the services find it when they have run before: with all their tables, empty. */
export const createTestDatabase = (): Promise<TestDatabase> => copyOf('services');

/** As `npm start` lays it out, without any service's tables yet. */
export const createProvisionedDatabase = (): Promise<TestDatabase> => copyOf('provisioned');

export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const name = newName();
  await asAdmin((admin) => admin.query(`create database ${name}`));
  return { name, adminUrl: addressOf(name), drop: () => drop(name) };
}

const newName = () => `${ofThisRun('test')}_${randomBytes(6).toString('hex')}`;

/** Every address of this run's roles; it goes into no file and ends with the run. */
const password = () => fromSetup('TEST_RUN');

const layouts = {
  provisioned: (url: string) => provision(url, everyRole(password())),
  services: (url: string) =>
    prepareDatabase(
      {
        DATABASE_URL: url,
        COMMS_DATABASE_PASSWORD: password(),
        RENEWALS_DATABASE_PASSWORD: password(),
        INGEST_DATABASE_PASSWORD: password(),
        NOTIFIER_DATABASE_PASSWORD: password(),
        GATEWAY_DATABASE_PASSWORD: password(),
      },
      createLogger('template', 'silent'),
    ),
} satisfies Record<string, (url: string) => Promise<unknown>>;
type Layout = keyof typeof layouts;

const everyRole = <T>(value: T): Record<DatabaseOwner, T> => ({
  comms: value,
  renewals: value,
  ingest: value,
  notifier: value,
  gateway: value,
});

/** Copied from a template that whoever comes first makes: a tenth of the work of laying one out. */
async function copyOf(layout: Layout): Promise<TestDatabase> {
  const name = newName();
  const template = ofThisRun(layout);
  await asAdmin(async (admin) => {
    await ensureTemplate(admin, layout, template);
    // As files: through the log, as is usual, costs twice as much.
    await admin.query(`create database ${name} template ${template} strategy file_copy`);
    await admin.query(admission(name, template));
  });
  const urlOf = (owner: DatabaseOwner) => addressOf(name, `${template}_${owner}`, password());
  return {
    name,
    adminUrl: addressOf(name),
    urls: {
      comms: urlOf('comms'),
      renewals: urlOf('renewals'),
      ingest: urlOf('ingest'),
      notifier: urlOf('notifier'),
      gateway: urlOf('gateway'),
    },
    rolesOf: template,
    turnAway: (away) => turnAway(name, away),
    drop: () => drop(name),
  };
}

async function turnAway(name: string, away: boolean): Promise<void> {
  await asAdmin(async (admin) => {
    await admin.query(`alter database ${name} connection limit ${away ? 0 : -1}`);
    if (away) await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  });
}

async function ensureTemplate(admin: pg.Client, layout: Layout, template: string): Promise<void> {
  const exists = async () =>
    (await admin.query('select from pg_database where datname = $1 and datistemplate', [template])).rowCount === 1;
  if (await exists()) return;
  await admin.query('select pg_advisory_lock(hashtext($1))', [template]);
  try {
    if (await exists()) return;
    await admin.query(`drop database if exists ${template} with (force)`);
    await admin.query(`create database ${template}`);
    await layouts[layout](addressOf(template));
    await admin.query(`alter database ${template} is_template true`);
  } finally {
    await admin.query('select pg_advisory_unlock(hashtext($1))', [template]);
  }
}

/** What this run made on a server that outlives it: also the copies of suites that did not come to their end. */
export async function dropAll(): Promise<void> {
  const templates = (Object.keys(layouts) as Layout[]).map(ofThisRun);
  const made = await asAdmin(async (admin) => {
    const copies = 'select datname from pg_database where starts_with(datname, $1)';
    const { rows } = await admin.query(copies, [`${ofThisRun('test')}_`]);
    const { rows: there } = await admin.query('select datname from pg_database where datname = any($1)', [templates]);
    for (const { datname } of there) await admin.query(`alter database ${datname} is_template false`);
    return [...rows, ...there].map(({ datname }) => datname as string);
  });
  for (const name of made) await drop(name);
}

const ofThisRun = (name: Layout | 'test') => `${name}_${fromSetup('TEST_RUN').slice(0, 12)}`;

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
    await admin.query(`drop database if exists ${name} with (force)`);
    const { rows } = await admin.query('select rolname from pg_roles where starts_with(rolname, $1)', [`${name}_`]);
    // In one statement: they are members of each other, and one may have made the others so.
    if (rows.length > 0)
      await admin.query(`drop role ${rows.map(({ rolname }) => pg.escapeIdentifier(rolname)).join()}`);
  });
}

async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: fromSetup('TEST_DATABASE_URL') });
  // Of a server that a test kills; the query that was running rejects all the same.
  admin.on('error', () => undefined);
  await admin.connect();
  return work(admin).finally(() => admin.end());
}
