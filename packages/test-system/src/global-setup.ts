import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropAll } from '@ops/test-kit/database';
import { startPostgresNode } from '@ops/test-kit/postgres-node';
import { findBroker } from '@ops/test-kit/run-broker';
import { serveSystems } from './shared-systems.ts';
import { type TestRun, testRun } from './test-run.ts';

/** Once before all test files: one Postgres and one RabbitMQ for the run, and a place for logs. */
export default (): Promise<void> => startRun('run');

export async function startRun(postgres: 'run' | 'benchmark'): Promise<void> {
  process.env.TEST_RUN = randomBytes(16).toString('hex');
  const ownsLogs = !process.env.TEST_LOG_DIRECTORY;
  if (ownsLogs) process.env.TEST_LOG_DIRECTORY = await mkdtemp(join(tmpdir(), 'ops-test-logs-'));
  const started = await Promise.allSettled([database(postgres), broker()]);
  testRun.current = { stop: started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])), ownsLogs };
  const failed = started.find((one) => one.status === 'rejected');
  if (!failed) return shareSystems();
  await stopAll(testRun.current);
  throw failed.reason;
}

/** They stand on the database and the broker, so they stop first. */
async function shareSystems(): Promise<void> {
  const systems = await serveSystems();
  process.env.TEST_SYSTEMS_URL = systems.url;
  testRun.current.stopFirst = systems.stop;
}

export async function stopAll(run: TestRun): Promise<void> {
  try {
    await run.stopFirst?.();
  } finally {
    await Promise.all(run.stop.map((stop) => stop()));
  }
}

async function database(use: 'run' | 'benchmark'): Promise<() => Promise<void>> {
  if (process.env.TEST_DATABASE_URL) return dropAll;
  const node = await startPostgresNode(use);
  process.env.TEST_DATABASE_URL = node.url;
  return node.stop;
}

async function broker(): Promise<() => Promise<void>> {
  const found = await findBroker((line) => console.error(line));
  console.log(`\nRabbitMQ for this run: ${found.description}`);
  process.env.TEST_AMQP_URL = found.url;
  return found.stop;
}
