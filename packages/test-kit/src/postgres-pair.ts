import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leash, shellWord } from '@ops/machine/leash';
import { type PostgresNode, startPostgres } from '@ops/machine/postgres';
import pg from 'pg';
import { captureLog } from './logs.ts';

/** A Postgres that answers for a commit only once its standby has it too. `stop` removes all of it. */
export interface PostgresPair {
  primary: PostgresNode;
  standby: PostgresNode;
  /** The standby takes over, alone from then on. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** A crash of the machine is not what these are for: what a killed process wrote stays. */
const ofBoth = ['fsync=off', 'synchronous_commit=on'];
const standbyName = 'standby';

export async function startPostgresPair(): Promise<PostgresPair> {
  const root = await mkdtemp(join(tmpdir(), 'ops-test-postgres-pair-'));
  const release = leash(`sleep 1; rm -rf ${shellWord(root)}`);
  const homes = { primary: join(root, 'primary'), standby: join(root, 'standby') };
  const started: PostgresNode[] = [];
  const stop = async () => {
    await Promise.all(started.map((node) => node.stop()));
    release();
    await rm(root, { recursive: true, force: true });
  };
  try {
    const password = randomBytes(12).toString('hex');
    await mkdir(homes.standby, { mode: 0o711 });
    const primary = await startPostgres({
      home: homes.primary,
      password,
      log: captureLog('postgres'),
      settings: [...ofBoth, `synchronous_standby_names=${standbyName}`],
    });
    started.push(primary);
    await copyWhileStopped(primary, homes);
    const standby = await startPostgres({
      home: homes.standby,
      password,
      log: captureLog('postgres'),
      settings: [...ofBoth, `primary_conninfo=${wayTo(primary)}`],
    });
    started.push(standby);
    return { primary, standby, promote: () => promote(standby), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Needs no program beside Postgres, and these are not many that ship pg_basebackup. */
async function copyWhileStopped(primary: PostgresNode, homes: Record<'primary' | 'standby', string>): Promise<void> {
  await primary.stop();
  await cp(join(homes.primary, 'data'), join(homes.standby, 'data'), { recursive: true, preserveTimestamps: true });
  await writeFile(join(homes.standby, 'data', 'standby.signal'), '');
  await primary.start();
}

function wayTo({ url }: PostgresNode): string {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password} application_name=${standbyName}`;
}

async function promote({ url }: PostgresNode): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SELECT pg_promote()').finally(() => client.end());
}

/** What decides where a cluster's address leads. */
export async function takesWrites(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query('SELECT NOT pg_is_in_recovery() AS leads')).rows[0].leads;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
