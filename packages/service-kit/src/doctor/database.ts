import type { ProcessName } from '@ops/contracts/routes';
import pg from 'pg';
import { schemaOf } from '../database/provision.ts';
import { auditLine } from './audit.ts';
import { causeOf } from './cause.ts';
import { clockLine } from './clock.ts';
import { type Check, failed, type Line, ok, warning } from './finding.ts';
import { migrationsLine } from './migrations.ts';

export interface DatabaseSettings {
  process: ProcessName;
  url: string;
  migrations: readonly URL[];
  /** Whether Postgres plays the broker's part. */
  carriesEvents: boolean;
  timeoutMs: number;
  /** What else to look at once the schema is as this version wants it. */
  also?: (client: pg.Client) => Promise<Line[]>;
}

/** One session as the process's own role, which looks at everything. */
export const databaseCheck = (settings: DatabaseSettings): Check => ({
  name: 'database',
  fix: 'is Postgres up, and does DATABASE_URL name its host, port and database? (docker compose logs postgres)',
  run: () => inSession('database', settings.url, settings.timeoutMs, (client) => examined(client, settings)),
});

/** What a session shows, or one line that says why there is none. */
export async function inSession(
  name: string,
  url: string,
  timeoutMs: number,
  work: (client: pg.Client) => Promise<Line[]>,
): Promise<Line[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'doctor',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    const fix = fixes[(error as { code?: string }).code ?? ''];
    if (!fix) throw new Error(`${placeOf(url)}: ${causeOf(error)}`);
    return [failed(name, `${placeOf(url)}: ${causeOf(error)}`, fix)];
  } finally {
    client.end().catch(() => undefined);
  }
}

const migrateAgain = 'run migrate, which makes roles and sets their passwords (docker compose run --rm migrate)';
const fixes: Record<string, string> = {
  '28P01': `the password in the address is not the role's: ${migrateAgain}`,
  '28000': `the role may not log in, or not from here: ${migrateAgain}, and see pg_hba.conf`,
  '3D000': 'make the database, or name another in the address',
  '42501': `the role lacks rights: ${migrateAgain}`,
  '53300':
    'too many connections: raise max_connections, ten for each replica of a service (docs/kubernetes.md, "More of it")',
};

/** Where, without the password. */
export function placeOf(url: string): string {
  const { host, pathname, username } = new URL(url);
  return `${host}${pathname} as ${decodeURIComponent(username)}`;
}

const oldestServer = 15;

/** The server's version, as every process wants it. */
export async function serverLine(name: string, url: string, client: pg.Client): Promise<Line> {
  const { rows } = await client.query("SELECT current_setting('server_version') AS version");
  const version = String(rows[0]?.version).split(' ')[0] ?? '';
  const said = `PostgreSQL ${version} at ${placeOf(url)}`;
  return Number.parseInt(version, 10) < oldestServer
    ? warning(name, said, `PostgreSQL ${oldestServer} or newer: older ones are not tried`)
    : ok(name, said);
}

async function examined(client: pg.Client, settings: DatabaseSettings): Promise<Line[]> {
  const before = [await serverLine('database', settings.url, client), await rightsLine(client, settings)];
  const clock = await clockOf(client);
  const { line, complete } = await migrationsLine(client, settings.migrations);
  const after = complete ? [await auditLine(client), ...((await settings.also?.(client)) ?? [])] : [];
  return [...before, clock, line, ...after];
}

const rights = `
  SELECT current_user AS role, current_schema() AS schema,
         (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
         (SELECT coalesce(string_agg(nspname, ', '), '') FROM pg_namespace
           WHERE nspname = ANY ($1) AND has_schema_privilege(oid, 'usage')) AS others,
         coalesce((SELECT has_schema_privilege(oid, 'usage') FROM pg_namespace WHERE nspname = 'bus'), false) AS bus`;

async function rightsLine(client: pg.Client, { process, carriesEvents }: DatabaseSettings): Promise<Line> {
  const own = schemaOf[process];
  const { rows } = await client.query(rights, [Object.values(schemaOf).filter((schema) => schema !== own)]);
  const { role, schema, superuser, others, bus } = rows[0];
  const asItself = `let DATABASE_URL name the role that migrate makes for ${process} (secrets/${own}_database_url)`;
  if (superuser) return failed('rights', `${role} is a superuser and reads every schema`, asItself);
  if (others) return failed('rights', `${role} reads the schemas of others: ${others}`, asItself);
  if (schema !== own) return failed('rights', `${role} does not see the schema ${own}`, `${asItself}; ${migrateAgain}`);
  if (carriesEvents && !bus)
    return failed('rights', `${role} may not use the schema bus`, `${migrateAgain}, or give AMQP_URL`);
  return ok('rights', `${role} has its own schema and no other`);
}

async function clockOf(client: pg.Client): Promise<Line> {
  const asked = Date.now();
  const { rows } = await client.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
  return clockLine('clock', 'Postgres', { theirs: Number(rows[0]?.now), asked, answered: Date.now(), resolutionMs: 1 });
}
