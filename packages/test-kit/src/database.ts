import { randomBytes } from 'node:crypto';
import type { DatabaseUrls } from '@ops/embedded/system';
import { provision } from '@ops/service-kit/provision';
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
}

/** A database of the test file's own, laid out as `npm start` lays it out, without any service's tables yet. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  const password = () => randomBytes(12).toString('hex');
  const urls = await provision(database.adminUrl, {
    comms: password(),
    renewals: password(),
    ingest: password(),
    notifier: password(),
    gateway: password(),
  });
  return { ...database, urls };
}

export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin((admin) => admin.query(`create database ${name}`));
  return { name, adminUrl: inDatabase(serverUrl(), name), drop: () => drop(name) };
}

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('TEST_DATABASE_URL is not set: is global-setup in the jest configuration?');
  return url;
}

function inDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
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
  const admin = new pg.Client({ connectionString: serverUrl() });
  // Of a server that a test kills; the query that was running rejects all the same.
  admin.on('error', () => undefined);
  await admin.connect();
  return work(admin).finally(() => admin.end());
}
