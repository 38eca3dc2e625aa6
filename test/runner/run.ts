import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { buildPages } from '@ops/ops-ui/build';
import { findChromium } from '@ops/test-kit/chromium';
import { findLeaks } from '@ops/test-kit/logs';
import { findPrometheus } from '@ops/test-kit/prometheus';

/**
 * `npm test`: what a tool can check, every suite but the long ones, and the logs of it all. `--long`: the long ones.
 * `--changed`: the suites of what changed since main's last commit. Anything else is for jest, such as a path; one with
 * `.long` in it means a long one. Ends in one line, `N passed, N failed`, in which each check counts as one.
 */
const root = join(import.meta.dirname, '..', '..');
const logs = await mkdtemp(join(tmpdir(), 'ops-test-logs-'));
const children = new Set<ChildProcess>();

interface Tally {
  passed: number;
  failed: number;
}

const checks: Record<string, string[]> = {
  // By itself it is slower alone and half the work: the suites have the other processors.
  types: ['tsc', '--noEmit', '--singleThreaded'],
  'types of the pages': ['tsc', '--noEmit', '--singleThreaded', '--project', 'packages/ops-ui'],
  'format and lint': ['biome', 'ci', '.'],
  'direction of imports': ['depcruise', '--output-type', 'err', 'gateway', 'packages', 'services', 'test'],
  'circles between rooms': [
    'depcruise',
    '--config',
    '.dependency-cruiser.rooms.mjs',
    '--output-type',
    'err',
    'gateway',
    'services',
    'packages/service-kit',
  ],
  'unused code': ['knip'],
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
    process.exitCode = 130;
  });
}

const asked = process.argv.slice(3);
const isLong = asked.some((word) => word === '--long' || word.includes('.long'));
const only = asked
  .filter((word) => word !== '--long')
  .map((word) => (word === '--changed' ? '--changedSince=main' : word));
const isWhole = only.length === 0;
// What cannot be fetched is told of by the suites that need it.
await Promise.all([
  buildPages(),
  findChromium().catch(() => undefined),
  isLong && findPrometheus().catch(() => undefined),
]);
const tallies = (await Promise.all([isWhole && !isLong ? runChecks() : [], runSuites()])).flat();
tallies.push(await checkLogs());
await rm(logs, { recursive: true, force: true });
if (isWhole && !isLong) console.log(`\nleft to npm run test:long: ${(await longSuites()).join(', ')}`);
const sum = (field: keyof Tally) => tallies.reduce((total, tally) => total + tally[field], 0);
if (sum('failed') > 0) process.exitCode ||= 1;
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);

/** Beside the suites, one after the other: together they would take the processors from them. */
async function runChecks(): Promise<Tally[]> {
  const tallies: Tally[] = [];
  for (const [name, [tool = '', ...args]] of Object.entries(checks)) {
    const output: Buffer[] = [];
    const code = await runTool(tool, args, (chunk) => output.push(chunk));
    tallies.push(report(name, code === 0, Buffer.concat(output).toString()));
  }
  return tallies;
}

/** The numbers are jest's own; a suite that could not run, or a run that could not start, is a failure too. */
async function runSuites(): Promise<Tally> {
  const results = join(logs, 'results.json');
  const options = {
    // Suites wait as well as work.
    maxWorkers: String(availableParallelism() + 1),
    reporters: './test/runner/reporter.ts',
    outputFile: results,
  };
  const given = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const code = await runTool('jest', ['--json', ...given, ...only]);
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

async function longSuites(): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob('{gateway,packages,services,test}/**/*.long.test.ts', { cwd: root }))
    if (!path.includes('node_modules')) found.push(path.replace('.long.test.ts', ''));
  return found.sort();
}

function report(name: string, passed: boolean, output: string): Tally {
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name}`);
  if (!passed) console.log(output);
  return { passed: passed ? 1 : 0, failed: passed ? 0 : 1 };
}

/** Without anybody to hear it, a tool speaks for itself. */
async function runTool(tool: string, args: readonly string[], hear?: (chunk: Buffer) => void): Promise<number | null> {
  const path = [join(root, 'node_modules', '.bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  const child = spawn(join(root, 'node_modules', '.bin', tool), args, {
    cwd: root,
    stdio: ['ignore', hear ? 'pipe' : 'inherit', hear ? 'pipe' : 'inherit'],
    env: {
      ...process.env,
      PATH: path,
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
      NO_COLOR: '1',
      TEST_LOG_DIRECTORY: logs,
      TEST_TIER: isLong ? 'long' : 'short',
    },
  });
  children.add(child);
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => hear?.(chunk));
  const [code] = await once(child, 'close');
  children.delete(child);
  return code;
}
