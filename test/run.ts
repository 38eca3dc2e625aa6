import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { buildPages } from '@ops/ops-ui/build';
import { findChromium } from '@ops/test-kit/chromium';
import { findLeaks } from '@ops/test-kit/logs';
import { findPrometheus } from '@ops/test-kit/prometheus';

/**
 * `npm test`: what a tool can check, then every suite, then the logs of it all. Ends in one line, `N passed, N failed`,
 * in which each check counts as one.
 */
const root = join(import.meta.dirname, '..');
const logs = await mkdtemp(join(tmpdir(), 'ops-test-logs-'));
/** Suites start the same services again and again: what Node once made of a module serves every later start. */
const compiled = await mkdtemp(join(tmpdir(), 'ops-test-compiled-'));
const children = new Set<ChildProcess>();

interface Tally {
  passed: number;
  failed: number;
}

/** Each is fast and alone with its tool's cache, so they run together. */
const checks: Record<string, string[]> = {
  types: ['tsc', '--noEmit'],
  'types of the pages': ['tsc', '--noEmit', '--project', 'packages/ops-ui'],
  'format and lint': ['biome', 'ci', '.'],
  'direction of imports': ['depcruise', '--output-type', 'err', 'gateway', 'packages', 'services', 'test'],
  'unused code': ['knip'],
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
    process.exitCode = 130;
  });
}

const only = process.argv.slice(3);
// What cannot be fetched is told of by the suites that need it.
await Promise.all([buildPages(), findChromium().catch(() => undefined), findPrometheus().catch(() => undefined)]);
const tallies = [...(only.length > 0 ? [] : await runChecks()), await runSuites(only), await checkLogs()];
await Promise.all([logs, compiled].map((directory) => rm(directory, { recursive: true, force: true })));
const sum = (field: keyof Tally) => tallies.reduce((total, tally) => total + tally[field], 0);
if (sum('failed') > 0) process.exitCode ||= 1;
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);

function runChecks(): Promise<Tally[]> {
  return Promise.all(
    Object.entries(checks).map(async ([name, [tool = '', ...args]]) => {
      const { code, output } = await runTool(tool, args, () => undefined);
      return report(name, code === 0, output);
    }),
  );
}

/** The numbers are jest's own; a suite that could not run, or a run that could not start, is a failure too. */
async function runSuites(only: readonly string[]): Promise<Tally> {
  const results = join(logs, 'results.json');
  const workers = String(Math.max(2, availableParallelism() - 1));
  const copy = createWriteStream(join(logs, 'jest.log'));
  const { code } = await runTool(
    'jest',
    ['--maxWorkers', workers, '--json', '--outputFile', results, ...only],
    (chunk) => {
      process.stdout.write(chunk);
      copy.write(chunk);
    },
  );
  copy.end();
  await once(copy, 'finish');
  const counted = await readFile(results, 'utf8').then(JSON.parse, () => undefined);
  await rm(results, { force: true });
  if (!counted) return { passed: 0, failed: 1 };
  const failed = counted.numFailedTests + counted.numRuntimeErrorTestSuites + counted.numPendingTests;
  return { passed: counted.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

async function checkLogs(): Promise<Tally> {
  const leaks = await findLeaks(logs);
  return report('no token, cookie or message text in any log', leaks.length === 0, leaks.join('\n'));
}

function report(name: string, passed: boolean, output: string): Tally {
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name}`);
  if (!passed) console.log(output);
  return { passed: passed ? 1 : 0, failed: passed ? 0 : 1 };
}

async function runTool(tool: string, args: readonly string[], hear: (chunk: Buffer) => void) {
  const path = [join(root, 'node_modules', '.bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  const options = '--experimental-vm-modules --disable-warning=ExperimentalWarning';
  const child = spawn(join(root, 'node_modules', '.bin', tool), args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...{ PATH: path, NODE_OPTIONS: options, NODE_COMPILE_CACHE: compiled, TEST_LOG_DIRECTORY: logs, NO_COLOR: '1' },
    },
  });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      hear(chunk);
      output += chunk;
    });
  }
  const [code] = await once(child, 'close');
  children.delete(child);
  return { code, output };
}
