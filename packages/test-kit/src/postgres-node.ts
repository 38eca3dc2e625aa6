import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leash, shellWord } from '@ops/machine/leash';
import { type PostgresNode, startPostgres } from '@ops/machine/postgres';
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

/** A Postgres of the test's own, on any free port, which the test may kill. `stop` removes all of it. */
export async function startPostgresNode(use: keyof typeof settingsOf = 'test'): Promise<TestPostgres> {
  const home = await mkdtemp(join(tmpdir(), 'ops-test-postgres-'));
  const password = randomBytes(12).toString('hex');
  const release = leash(`sleep 1; rm -rf ${shellWord(home)}`);
  const remove = async () => {
    release();
    await rm(home, { recursive: true, force: true });
  };
  const options = { home, password, log: captureLog('postgres'), settings: settingsOf[use] };
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
