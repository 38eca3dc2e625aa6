import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';

/** The command a newcomer types, on a data folder of its own. */
const launcher = join(import.meta.dirname, '../../packages/embedded/launcher/launch.mjs');
const run = promisify(execFile);
let dataDir: string;
let started: Started | undefined;

interface Started {
  child: ChildProcess;
  output(): string;
  exited: Promise<number | null>;
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ops-start-'));
});
afterEach(async () => {
  started?.child.kill('SIGTERM');
  await started?.exited;
  started = undefined;
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const env = () => ({
  ...process.env,
  NODE_OPTIONS: '',
  OPS_DATA_DIR: dataDir,
  PORT: '0',
  DATABASE_URL: '',
  AMQP_URL: '',
});

function start(): Started {
  const child = spawn(process.execPath, [launcher, 'start'], { env: env(), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { child, output: () => output, exited };
}

async function ready(system: Started): Promise<string> {
  return eventually(() => {
    const line = /ready (http:\/\/localhost:\d+)/.exec(system.output());
    if (!line?.[1]) throw new Error(`not ready yet:\n${system.output()}`);
    return line[1];
  });
}

async function listed(url: string, path: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await run(process.execPath, [launcher, 'token', '--role', 'staff'], { env: env() });
  expect(stdout.trim().split('\n')).toHaveLength(1);
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${stdout.trim()}` } });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: Record<string, unknown>[] }).data;
}

/** The rest of the demo customers come while people look at the first. */
const filled = (system: Started) =>
  eventually(() => expect(system.output()).toContain('- demo: all customers are there'));

async function again(): Promise<string> {
  started?.child.kill('SIGTERM');
  expect(await started?.exited).toBe(0);
  started = start();
  return ready(started);
}

const idsOf = (rows: Record<string, unknown>[]) => rows.map(({ id }) => id).toSorted();

test('one command runs the system, stopped early it goes on with the demo, a second one on the same data says so, and the data survive', async () => {
  started = start();
  const first = await ready(started);
  expect(await fetch(first).then((page) => page.status)).toBe(200);
  const [mostUrgent] = await listed(first, '/ops/renewals?status=OVERDUE');
  expect(mostUrgent).toMatchObject({ status: 'OVERDUE' });

  const url = await again();
  await filled(started);
  const customers = await listed(url, '/ops/customers?limit=200');
  const renewals = await listed(url, '/ops/renewals?limit=200');
  expect(customers).toHaveLength(60);
  expect(renewals.length).toBeGreaterThan(120);
  await eventually(async () => {
    const priorities = (await listed(url, '/ops/tasks?status=OPEN')).map(({ priority }) => priority);
    expect(new Set(priorities)).toEqual(new Set(['URGENT', 'HIGH', 'NORMAL']));
  });

  const twin = start();
  expect(await twin.exited).not.toBe(0);
  expect(twin.output()).toMatch(/already running/);

  const last = await again();
  expect(idsOf(await listed(last, '/ops/customers?limit=200'))).toEqual(idsOf(customers));
  expect(idsOf(await listed(last, '/ops/renewals?limit=200'))).toEqual(idsOf(renewals));
  expect(started.output()).not.toContain('- demo:');
});

test('a crash of one process is shown, and everything ends with a code that says so', async () => {
  started = start();
  await ready(started);
  const { stdout } = await run('ps', ['-eo', 'pid,ppid,args']);
  const child = stdout
    .split('\n')
    .find((line) => line.includes('comms-service/src/main.ts') && line.includes(` ${started?.child.pid} `));
  process.kill(Number(child?.trim().split(/\s+/)[0]), 'SIGKILL');
  expect(await started.exited).not.toBe(0);
  expect(started.output()).toMatch(/comms-service.*(SIGKILL|crash)/i);
});
