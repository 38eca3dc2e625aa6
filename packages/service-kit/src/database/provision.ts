import { readFile } from 'node:fs/promises';
import { installBusSchema } from '@ops/bus/postgres/install';
import { type ProcessName, serviceNames } from '@ops/contracts/routes';
import pg from 'pg';

/** One schema for each process; beside them is `bus`, which plays the broker's part. */
export const schemaOf = {
  'comms-service': 'comms',
  'renewals-service': 'renewals',
  'webhook-ingest': 'ingest',
  notifier: 'notifier',
  gateway: 'gateway',
} as const satisfies Record<ProcessName, string>;
const schemas = Object.values(schemaOf);
type Schema = (typeof schemas)[number];

/**
 * Prepares an existing, possibly empty, database: one login role per schema with rights on its own schema only, so
 * that reading another service's tables fails; beside each schema one with the tables of who changed what, which belong to a
 * role that no service is a member of; a role that owns the bus, where each service may do its own part.
 * Roles belong to the whole server, hence named after the database.
 *
 * Idempotent, by whichever administrator, and safe under concurrent start. Answers the address each role connects with.
 */
export async function provision(adminUrl: string, passwords: Record<string, string>): Promise<Record<Schema, string>> {
  const database = databaseOf(adminUrl);
  const urls = Object.fromEntries(
    schemas.map((name) => [name, addressFor(adminUrl, roleName(database, name), passwordOf(name, passwords))]),
  ) as Record<Schema, string>;
  const admin = new pg.Client({
    connectionString: adminUrl,
    application_name: 'provision',
    connectionTimeoutMillis: 10_000,
  });
  // A server that goes away fails the query at work; without a listener the event would end the process as well.
  admin.on('error', () => {});
  await admin.connect();
  try {
    // Held by the session until it ends, however it ends.
    await admin.query("SELECT pg_advisory_lock(hashtext('provision'))");
    await inOneTransaction(admin, () => provisionRoles(admin, database, passwords));
    await installBusSchema(adminUrl, {
      owner: roleName(database, 'bus'),
      accounts: Object.fromEntries(serviceNames.map((name) => [roleName(database, schemaOf[name]), name])),
    });
  } finally {
    await admin.end();
  }
  return urls;
}

async function provisionRoles(admin: pg.Client, database: string, passwords: Record<string, string>): Promise<void> {
  const bus = roleName(database, 'bus');
  const audit = roleName(database, 'audit');
  await admin.query('REVOKE ALL ON SCHEMA public FROM public');
  for (const group of [bus, audit]) await createRole(admin, group, 'NOLOGIN');
  for (const name of schemas)
    await createRole(admin, roleName(database, name), `LOGIN PASSWORD ${literal(passwordOf(name, passwords))}`);
  await admin.query(admission(database));
  await createSchema(admin, 'bus', bus);
  const auditTables = await readFile(new URL('audit.sql', import.meta.url), 'utf8');
  for (const schema of schemas) {
    const role = roleName(database, schema);
    await createSchema(admin, schema, role);
    await createSchema(admin, auditSchemaOf(schema), audit);
    await admin.query(auditSchema(schema, role, audit, auditTables));
    // The version before made every service an owner of the bus.
    await admin.query(`REVOKE ${id(bus)} FROM ${id(role)}`);
  }
}

const id = pg.escapeIdentifier;
const literal = pg.escapeLiteral;

/**
 * Who may come in, and on what terms: what belongs to a database and is not in it, so that a copy of one lacks it. The roles
 * are those of `owner`, the database itself unless it is such a copy.
 */
export const admission = (database: string, owner = database): string =>
  [
    `REVOKE ALL ON DATABASE ${id(database)} FROM public`,
    ...schemas.flatMap((name) => loginTerms(database, roleName(owner, name))),
    ...schemas.map((schema) => searchPath(database, roleName(owner, schema), schema)),
  ].join(';\n');

/** What holds whatever way a process connects; startup parameters would not pass a transaction-mode pooler. */
const loginTerms = (database: string, role: string) => [
  `GRANT CONNECT ON DATABASE ${id(database)} TO ${id(role)}`,
  inDatabase(database, role, "statement_timeout = '30s'"),
  inDatabase(database, role, "lock_timeout = '10s'"),
  inDatabase(database, role, "idle_in_transaction_session_timeout = '30s'"),
  // What is asked lies in memory or on a disk without a head: a page out of its order costs little more than the next one.
  inDatabase(database, role, 'random_page_cost = 1.1'),
];

const searchPath = (database: string, role: string, schema: string) =>
  inDatabase(database, role, `search_path = ${id(schema)}, ${id(auditSchemaOf(schema))}`);

const inDatabase = (database: string, role: string, setting: string) =>
  `ALTER ROLE ${id(role)} IN DATABASE ${id(database)} SET ${setting}`;

async function createRole(admin: pg.Client, role: string, options: string): Promise<void> {
  const { rowCount } = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  const rights = `NOSUPERUSER NOCREATEDB NOCREATEROLE ${options}`;
  await admin.query(`${rowCount ? 'ALTER' : 'CREATE'} ROLE ${id(role)} ${rowCount ? options : rights}`);
}

export const auditSchemaOf = (schema: string) => `${schema}_audit`;

/**
 * In a schema of its own, for whoever owns a schema may drop what is in it; and not the administrator's, for the next one may be
 * somebody else. What the version before made as the administrator is handed over first. The service finds the tables by its
 * search path. When a row was written only the database says.
 */
const auditSchema = (schema: string, service: string, owner: string, tables: string): string => `
  DO $$ DECLARE theirs text; BEGIN
    FOR theirs IN
      SELECT 'TABLE ' || c.oid::regclass FROM pg_class c
      WHERE c.relnamespace = ${literal(auditSchemaOf(schema))}::regnamespace AND c.relkind = 'r'
        AND c.relowner <> ${literal(id(owner))}::regrole
      UNION ALL
      SELECT 'FUNCTION ' || p.oid::regprocedure FROM pg_proc p
      WHERE p.pronamespace = ${literal(auditSchemaOf(schema))}::regnamespace
        AND p.proowner <> ${literal(id(owner))}::regrole
    LOOP
      EXECUTE format('ALTER %s OWNER TO %I', theirs, ${literal(owner)});
    END LOOP;
  END $$;
  SET LOCAL ROLE ${id(owner)};
  SET LOCAL search_path = ${id(auditSchemaOf(schema))};
  ${tables}
  GRANT USAGE ON SCHEMA ${id(auditSchemaOf(schema))} TO ${id(service)};
  GRANT SELECT, INSERT (id, actor, role, client, request_id, action, subject_kind, subject_id, customer_id, digests)
    ON audit TO ${id(service)};
  GRANT SELECT, INSERT ON audit_values TO ${id(service)};
  GRANT SELECT ON audit_seals, audit_head TO ${id(service)};
  GRANT EXECUTE ON FUNCTION remove_audit, take_audit_values, seal_audit TO ${id(service)};
  RESET ROLE`;

/** An administrator who is no superuser, as on managed servers, must be a member of a role to give it a schema. */
async function createSchema(admin: pg.Client, schema: string, owner: string): Promise<void> {
  await admin.query(`
    DO $$ BEGIN
      IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        EXECUTE format('GRANT %I TO %I', ${literal(owner)}, current_user);
      END IF;
    END $$;
    CREATE SCHEMA IF NOT EXISTS ${id(schema)} AUTHORIZATION ${id(owner)};
    ALTER SCHEMA ${id(schema)} OWNER TO ${id(owner)}`);
}

async function inOneTransaction(admin: pg.Client, work: () => Promise<void>): Promise<void> {
  await admin.query('BEGIN');
  try {
    await work();
    await admin.query('COMMIT');
  } catch (error) {
    await admin.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

function databaseOf(url: string): string {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  if (!name) throw new Error('The address of the database must name it');
  return name;
}

/** Postgres would cut a longer name off, and two roles could become one. */
const longestName = 63;

function roleName(database: string, name: string): string {
  const role = `${database}_${name}`;
  if (Buffer.byteLength(role) > longestName)
    throw new Error(`The name of database ${database} is too long for its roles`);
  return role;
}

function passwordOf(name: Schema, passwords: Record<string, string>): string {
  const password = passwords[name];
  if (!password) throw new Error(`No password given for ${name}`);
  return password;
}

function addressFor(adminUrl: string, role: string, password: string): string {
  const url = new URL(adminUrl);
  url.username = encodeURIComponent(role);
  url.password = encodeURIComponent(password);
  return url.href;
}
