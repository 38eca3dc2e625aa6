import { join } from 'node:path';
import { startPostgres } from '@ops/machine/postgres';
import { provision } from '@ops/service-kit/provision';
import pg from 'pg';
import type { SystemSecrets } from './secrets.ts';
import type { StartSettings } from './settings.ts';
import type { DatabaseUrls } from './system.ts';

/** The database of DATABASE_URL, else one of our own in the data directory; ready for the services. */
export async function prepareDatabase(
  { dataDir, databaseUrl }: Pick<StartSettings, 'dataDir' | 'databaseUrl'>,
  secrets: SystemSecrets,
  undo: (() => unknown)[],
  crashed: (reason: string) => void,
): Promise<DatabaseUrls> {
  if (databaseUrl) {
    console.log('- preparing the database of DATABASE_URL');
    return provision(databaseUrl, secrets.database);
  }
  console.log(`- starting Postgres in ${join(dataDir, 'postgres')}`);
  const log = (line: string) => serious(line) && console.log(`Postgres: ${line}`);
  const node = await startPostgres({ home: join(dataDir, 'postgres'), password: secrets.postgres, log });
  const prepared = ensureDatabase(node.url, 'ops').then((url) => provision(url, secrets.database));
  // Not from under the connection that prepares it.
  undo.push(() => prepared.then(node.stop, node.stop));
  void node.crashed.then((how) => crashed(`Postgres ${how}, crashed`));
  return prepared;
}

/** Statements that fail are told by the service that made them; only the server's own trouble is worth a line. */
const serious = (line: string) => /\b(?:PANIC|FATAL):/.test(line);

async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const admin = new pg.Client({ connectionString: serverUrl });
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await admin.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  } finally {
    await admin.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
