import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { canary, findLeaks } from '@ops/test-kit/logs';
import Progress from './reporter.ts';

const runsOwn = process.env.TEST_LOG_DIRECTORY;
let logs: string;

beforeEach(async () => {
  logs = await mkdtemp(join(tmpdir(), 'ops-reporter-'));
  process.env.TEST_LOG_DIRECTORY = logs;
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(async () => {
  jest.restoreAllMocks();
  process.env.TEST_LOG_DIRECTORY = runsOwn;
  await rm(logs, { recursive: true, force: true });
});

const token = 'authorization: Bearer abcdefghijklmnopqrstuvwxyz';

test.each([
  ['a failure that quotes the text it looked for is no leak', `waiting for getByText('${canary()}')`, 'fine', 0],
  ['a failure that quotes a token is one', token, 'fine', 1],
  ['the text of a message that a failed suite wrote is one', `waiting for '${canary()}'`, canary(), 1],
  ['and so is that which a suite wrote that passed', undefined, canary(), 1],
])('%s', async (_what, failureMessage, message, leaks) => {
  const result = { testFilePath: '/root/a.test.ts', failureMessage, console: [{ type: 'log', message }] };
  new Progress({ rootDir: '/root' }).onTestResult({}, result as never, { numPassedTestSuites: 0 } as never);
  expect(await findLeaks(logs)).toHaveLength(leaks);
});
