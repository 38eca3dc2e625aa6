import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresNode } from './postgres-node.ts';
import { findBroker } from './run-broker.ts';
import { type TestRun, testRun } from './test-run.ts';

/** Once before all test files: one Postgres and one RabbitMQ for the run, and a place for logs. */
export default (): Promise<void> => startRun({ durable: false });

export async function startRun(postgres: { durable: boolean }): Promise<void> {
  const ownsLogs = !process.env.TEST_LOG_DIRECTORY;
  if (ownsLogs) process.env.TEST_LOG_DIRECTORY = await mkdtemp(join(tmpdir(), 'ops-test-logs-'));
  const started = await Promise.allSettled([database(postgres), broker()]);
  testRun.current = { stop: started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])), ownsLogs };
  const failed = started.find((one) => one.status === 'rejected');
  if (!failed) return;
  await stopAll(testRun.current);
  throw failed.reason;
}

export async function stopAll(run: TestRun): Promise<void> {
  await Promise.all(run.stop.map((stop) => stop()));
}

async function database(options: { durable: boolean }): Promise<() => Promise<void>> {
  if (process.env.TEST_DATABASE_URL) return async () => undefined;
  const node = await startPostgresNode(options);
  process.env.TEST_DATABASE_URL = node.url;
  return node.stop;
}

async function broker(): Promise<() => Promise<void>> {
  const found = await findBroker((line) => console.error(line));
  console.log(`\nRabbitMQ for this run: ${found.description}`);
  process.env.TEST_AMQP_URL = found.url;
  return found.stop;
}
