import { type CopiedDatabase, copyOf } from '@ops/test-kit/database';
import pg from 'pg';
import { type BusRoles, installBusSchema } from '../src/postgres/install.ts';

const services = ['comms', 'notifier'] as const;
const logins = [...services, 'gateway'] as const;

export interface TestDatabase extends CopiedDatabase {
  urls: Record<(typeof logins)[number], string>;
}

/** Installed, with a schema and a role for each of two services, and a role for who may connect and nothing else. */
export async function createBusDatabase(): Promise<TestDatabase> {
  const database = await copyOf({ name: 'bus', layOut, admission });
  const { urlOf } = database;
  return { ...database, urls: { comms: urlOf('comms'), notifier: urlOf('notifier'), gateway: urlOf('gateway') } };
}

async function layOut(url: string, password: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await admin.query(`create role ${name}_bus nologin`);
    for (const login of logins) await admin.query(`create role ${name}_${login} login password '${password}'`);
    for (const service of services) await admin.query(`create schema ${service} authorization ${name}_${service}`);
  } finally {
    await admin.end();
  }
  await installBusSchema(url, rolesOf(name));
}

export const rolesOf = (name: string): BusRoles => ({
  owner: `${name}_bus`,
  accounts: { [`${name}_comms`]: 'comms-service', [`${name}_notifier`]: 'notifier' },
});

const admission = (database: string, rolesOf: string): string =>
  [
    `revoke all on database ${database} from public`,
    ...logins.map((login) => `grant connect on database ${database} to ${rolesOf}_${login}`),
    ...services.map((name) => `alter role ${rolesOf}_${name} in database ${database} set search_path = ${name}`),
  ].join(';\n');
