import { rm } from 'node:fs/promises';
import { findLeaks } from '@ops/test-kit/logs';
import { stopAll } from './global-setup.ts';
import { testRun } from './test-run.ts';

/** Once after all test files: stops what the run started. The logs are searched by whoever asked for them. */
export default async function tearDown(): Promise<void> {
  await stopAll(testRun.current);
  if (!testRun.current.ownsLogs) return;
  const leaks = await findLeaks();
  if (leaks.length > 0) throw new Error(`Logs of this run hold secrets:\n${leaks.join('\n')}`);
  await rm(String(process.env.TEST_LOG_DIRECTORY), { recursive: true, force: true });
}
