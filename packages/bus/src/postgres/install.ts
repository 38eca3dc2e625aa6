import { readFile } from 'node:fs/promises';
import { publishers } from '@ops/contracts/events';
import type { ServiceName } from '@ops/contracts/routes';
import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { openPool } from './client.ts';

/** Whose the schema is, and which service each role is. */
export interface BusRoles {
  owner: string;
  accounts: Record<string, ServiceName>;
}

/**
 * Creates or upgrades the schema `bus`, which plays the broker: once per database, by whoever may create schemas.
 * Given roles, everything belongs to the owner; each account tells of the events its service publishes and works with its own
 * queues, and may do nothing else. Concurrent calls wait for each other.
 */
export async function installBusSchema(url: string, roles?: BusRoles): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  // A server that goes away fails the query at work; without a listener the event would end the process as well.
  admin.on('error', () => {});
  await admin.connect();
  try {
    await admin.query("SELECT pg_advisory_lock(hashtextextended('ops:install-bus', 0))");
    await createSchema(admin, roles?.owner);
    await asOwner(admin, roles?.owner, () => migrate(url, roles));
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

async function migrate(url: string, roles: BusRoles | undefined): Promise<void> {
  const pool = openPool({
    connectionString: url,
    max: 1,
    onConnect: async (client) => {
      if (roles !== undefined) await client.query(`SET ROLE ${pg.escapeIdentifier(roles.owner)}`);
    },
  });
  try {
    await runMigrations({ pgPool: pool, schema: 'bus' });
    await pool.query(await readFile(new URL('./schema.sql', import.meta.url), 'utf8'));
    if (roles) await pool.query(rights(roles.accounts));
  } finally {
    await pool.end();
  }
}

const rights = (accounts: Record<string, ServiceName>): string => {
  const all = Object.keys(accounts).map(pg.escapeIdentifier).join(', ');
  return `
    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA bus FROM public;
    GRANT USAGE ON SCHEMA bus TO ${all};
    GRANT EXECUTE ON FUNCTION bus.publish, bus.put_off, bus.register, bus.own_tasks, bus.force_unlock_workers TO ${all};
    GRANT SELECT, UPDATE, DELETE ON bus._private_jobs TO ${all};
    GRANT SELECT, INSERT ON bus._private_tasks TO ${all};
    GRANT SELECT, UPDATE ON bus._private_job_queues TO ${all};
    GRANT SELECT ON bus.migrations, bus.queues, bus.bindings TO ${all};
    DELETE FROM bus.accounts;
    INSERT INTO bus.accounts (role, service) VALUES ${pairs(Object.entries(accounts))};
    DELETE FROM bus.publishers;
    INSERT INTO bus.publishers (type, service) VALUES ${pairs(publishers)}`;
};

const pairs = (all: readonly [string, string][]): string =>
  all.map((pair) => `(${pair.map(pg.escapeLiteral).join(', ')})`).join(', ');
