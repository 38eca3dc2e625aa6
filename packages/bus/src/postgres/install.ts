import { readFile } from 'node:fs/promises';
import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { openPool } from './client.ts';

/**
 * Creates or upgrades the schema `bus`, which plays the broker: once per database, by whoever may create schemas.
 * With an owner role everything belongs to that role, whose members may publish and consume; graphile-worker guards
 * its tables by row-level security that only the owner passes. Concurrent calls wait for each other.
 */
export async function installBusSchema(url: string, ownerRole?: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  // A server that goes away fails the query at work; without a listener the event would end the process as well.
  admin.on('error', () => {});
  await admin.connect();
  try {
    await admin.query("SELECT pg_advisory_lock(hashtextextended('ops:install-bus', 0))");
    await createSchema(admin, ownerRole);
    await asOwner(admin, ownerRole, () => migrate(url, ownerRole));
  } finally {
    await admin.end();
  }
}

async function createSchema(admin: pg.Client, ownerRole: string | undefined): Promise<void> {
  const owner = ownerRole === undefined ? '' : `AUTHORIZATION ${pg.escapeIdentifier(ownerRole)}`;
  await admin.query(`CREATE SCHEMA IF NOT EXISTS bus ${owner}`);
}

/** graphile-worker says `create schema if not exists`, which asks for the right to create even when it exists. */
async function asOwner(admin: pg.Client, ownerRole: string | undefined, work: () => Promise<void>): Promise<void> {
  if (ownerRole === undefined) return work();
  const { rows } = await admin.query<{ name: string }>('SELECT current_database() AS name');
  const grant = `CREATE ON DATABASE ${pg.escapeIdentifier(rows[0]?.name ?? '')}`;
  const role = pg.escapeIdentifier(ownerRole);
  await admin.query(`GRANT ${grant} TO ${role}`);
  try {
    await work();
  } finally {
    await admin.query(`REVOKE ${grant} FROM ${role}`);
  }
}

async function migrate(url: string, ownerRole: string | undefined): Promise<void> {
  const pool = openPool({
    connectionString: url,
    max: 1,
    onConnect: async (client) => {
      if (ownerRole !== undefined) await client.query(`SET ROLE ${pg.escapeIdentifier(ownerRole)}`);
    },
  });
  try {
    await runMigrations({ pgPool: pool, schema: 'bus' });
    await pool.query(await readFile(new URL('./schema.sql', import.meta.url), 'utf8'));
  } finally {
    await pool.end();
  }
}
