import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leash, shellWord } from '@ops/embedded/leash';
import { type PostgresNode, startPostgres } from '@ops/embedded/postgres';
import { captureLog } from './logs.ts';

export interface TestPostgres extends PostgresNode {
  restart(): Promise<void>;
}

/** What a test leaves behind needs to outlive no crash of the machine. */
const hasty = ['fsync=off', 'full_page_writes=off'];

/** A Postgres of the test's own, on any free port, which the test may kill. `stop` removes all of it. */
export async function startPostgresNode({ durable = false } = {}): Promise<TestPostgres> {
  const home = await mkdtemp(join(tmpdir(), 'ops-test-postgres-'));
  const password = randomBytes(12).toString('hex');
  const release = leash(`sleep 1; rm -rf ${shellWord(home)}`);
  const remove = async () => {
    release();
    await rm(home, { recursive: true, force: true });
  };
  const options = { home, password, log: captureLog('postgres'), settings: durable ? [] : hasty };
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
