import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leash, shellWord } from '@ops/machine/leash';
import { type PostgresNode, startPostgres } from '@ops/machine/postgres';
import { giveTo, postgresAccount } from '@ops/machine/postgres-account';
import type { Certificate } from './certificates.ts';
import { captureLog } from './logs.ts';

export interface TestPostgres extends PostgresNode {
  restart(): Promise<void>;
}

/** What a test leaves behind needs to outlive no crash of the machine. */
const ofOneTest = ['fsync=off', 'full_page_writes=off'];
/** Nobody kills the one all suites share, so a commit need not be written down before it is answered. */
const ofTheRun = [
  ...ofOneTest,
  'synchronous_commit=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=8GB',
  'checkpoint_timeout=1h',
  'autovacuum_naptime=1h',
  'jit=off',
  'shared_buffers=512MB',
  'scram_iterations=1',
  // A whole system takes some eighty, and a machine with many processors runs many suites at a time.
  'max_connections=1000',
];
const settingsOf = { benchmark: [], test: ofOneTest, run: ofTheRun };

/**
 * A Postgres of the test's own, on any free port, which the test may kill. `stop` removes all of it. With a certificate it
 * takes nobody who comes without TLS.
 */
export async function startPostgresNode(
  use: keyof typeof settingsOf = 'test',
  certificate?: Certificate,
): Promise<TestPostgres> {
  const home = await mkdtemp(join(tmpdir(), 'ops-test-postgres-'));
  const password = randomBytes(12).toString('hex');
  const release = leash(`sleep 1; rm -rf ${shellWord(home)}`);
  const remove = async () => {
    release();
    await rm(home, { recursive: true, force: true });
  };
  const settings = [...settingsOf[use], ...(certificate ? await secureSettings(home, certificate) : [])];
  const options = { home, password, log: captureLog('postgres'), settings };
  const node = await startPostgres(options).catch(async (error) => {
    await remove();
    throw error;
  });
  return {
    ...node,
    stop: () => node.stop().then(remove),
    restart: async () => {
      await node.stop();
      await node.start();
    },
  };
}

/** The same way in by another port, as that of what stands before it. */
export const atPort = (url: string, port: number): string => Object.assign(new URL(url), { port: String(port) }).href;

async function secureSettings(home: string, { cert, key }: Certificate): Promise<string[]> {
  const account = await postgresAccount();
  const write = async (name: string, text: string) => {
    await writeFile(join(home, name), text, { mode: 0o600 });
    if (account) await giveTo(account, join(home, name));
    return join(home, name);
  };
  return [
    'ssl=on',
    `ssl_cert_file=${await write('server.crt', cert)}`,
    `ssl_key_file=${await write('server.key', key)}`,
    `hba_file=${await write('hba.conf', 'hostssl all all 127.0.0.1/32 scram-sha-256\n')}`,
  ];
}
