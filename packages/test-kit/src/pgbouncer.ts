import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservePort } from '@ops/machine/ports';
import pg from 'pg';
import { libraryDirectories, unpackedPackages } from './debian-packages.ts';
import { atPort } from './postgres-node.ts';
import { startProgram } from './program.ts';

export interface Pooler {
  port: number;
  stop(): Promise<void>;
}

/**
 * PgBouncer before a Postgres, in transaction mode: each transaction gets one of so many connections of its role, with
 * whatever others left behind in that session.
 */
export async function startPgBouncer(adminUrl: string, connections: number): Promise<Pooler> {
  const { command, env } = await findPgBouncer();
  const home = await mkdtemp(join(tmpdir(), 'ops-test-pgbouncer-'));
  const reserved = await reservePort();
  const { port, username, password } = new URL(adminUrl);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: reserved.port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(home, 'users.txt'),
    auth_user: username,
    pool_mode: 'transaction',
    default_pool_size: connections,
    max_client_conn: 1_000,
    // It runs as anybody but root, and looks at its files again as whom it runs.
    ...(process.getuid?.() === 0 ? { user: 'nobody' } : {}),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  await chmod(home, 0o711);
  await writeFile(join(home, 'users.txt'), `"${username}" "${password}"\n`);
  await writeFile(
    join(home, 'pgbouncer.ini'),
    `[databases]\n* = host=127.0.0.1 port=${port}\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  await reserved.release();
  const ready = async () => {
    const client = new pg.Client({ connectionString: atPort(adminUrl, reserved.port) });
    await client.connect().finally(() => client.end());
  };
  const stop = await startProgram({
    name: 'pgbouncer',
    command,
    args: [join(home, 'pgbouncer.ini')],
    env,
    home,
    ready,
  });
  return { port: reserved.port, stop };
}

const program = 'pgbouncer';

/** The installed one, else Debian's, unpacked in `.tools`. */
async function findPgBouncer(): Promise<{ command: string; env: NodeJS.ProcessEnv }> {
  if (spawnSync(program, ['--version']).status === 0) return { command: program, env: {} };
  const home = await unpackedPackages({ name: program, choose: (lookUp) => lookUp([program]) });
  if (!home) throw new Error('There is no PgBouncer here (Debian and Ubuntu: apt-get install pgbouncer)');
  const libraries = await libraryDirectories(home);
  return { command: join(home, 'usr', 'sbin', program), env: { LD_LIBRARY_PATH: libraries.join(':') } };
}
