import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Ending, endLeftover, isAlive } from './child-process.ts';
import { takeInstanceLock } from './instance-lock.ts';
import { manageProcess } from './managed-process.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ops-test-processes-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function program(source: string): Promise<string> {
  const file = join(directory, `${Math.random()}.ts`);
  await writeFile(file, source);
  return file;
}

const ready = `process.send({ type: 'ready', port: 1, metricsPort: 2 });`;
const stay = 'setInterval(() => undefined, 1000);';

async function managed(source: string) {
  const lines: string[] = [];
  const crashes: Ending[] = [];
  const entry = await program(source);
  const one = manageProcess(
    { name: 'one', entry, env: process.env },
    (line) => lines.push(line),
    (_, how) => crashes.push(how),
  );
  return { one, lines, crashes };
}

describe('a managed process', () => {
  test('is started once it says so, and its lines are heard', async () => {
    const { one, lines, crashes } = await managed(`console.log('hello'); ${ready} ${stay}`);
    expect(await one.start()).toMatchObject({ port: 1, metricsPort: 2 });
    await one.stop();
    expect(lines).toEqual(['hello']);
    expect(crashes).toEqual([]);
  });

  test('that ends before it is ready fails the start and counts as a crash', async () => {
    const { one, crashes } = await managed(`process.exit(78);`);
    await expect(one.start()).rejects.toThrow('one ended with exit code 78 while it started');
    expect(crashes).toEqual([{ code: 78, signal: null }]);
  });

  test('comes back after it was killed, which is no crash', async () => {
    const { one, crashes } = await managed(`${ready} ${stay}`);
    await one.start();
    await one.kill();
    await one.start();
    await one.stop();
    expect(crashes).toEqual([]);
  });

  test('that does not heed SIGTERM is killed after the deadline', async () => {
    const { one } = await managed(`process.on('SIGTERM', () => undefined); ${ready} ${stay}`);
    await one.start();
    const { pid } = one;
    await one.stop(50);
    expect(isAlive(Number(pid))).toBe(false);
  });
});

/** A process of its own that runs this module code and says `done`. */
async function elsewhere(source: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [await program(source)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  await once(child.stdout, 'data');
  return child;
}

const source = (name: string) => JSON.stringify(join(import.meta.dirname, name));

test('the data directory is one process’s, until that is gone, however it went', async () => {
  const holder = await elsewhere(`
    import { takeInstanceLock } from ${source('instance-lock.ts')};
    globalThis.lock = takeInstanceLock(${JSON.stringify(directory)});
    console.log('held'); ${stay}`);
  expect(takeInstanceLock(directory)).toBeUndefined();
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = takeInstanceLock(directory);
  expect(lock).toBeDefined();
  lock?.release();
});

test('what is on a leash ends when its holder is killed', async () => {
  const leashed = spawn('sleep', ['600'], { stdio: 'ignore' });
  const holder = await elsewhere(`
    import { leash } from ${source('leash.ts')};
    leash('kill -9 ${leashed.pid}');
    console.log('held'); ${stay}`);
  const end = once(leashed, 'exit');
  holder.kill('SIGKILL');
  expect(await end).toEqual([null, 'SIGKILL']);
});

test('what is let off the leash lives on', async () => {
  const leashed = spawn('sleep', ['600'], { stdio: 'ignore' });
  const holder = await elsewhere(`
    import { leash } from ${source('leash.ts')};
    leash('kill -9 ${leashed.pid}')();
    console.log('held');`);
  if (holder.exitCode === null) await once(holder, 'exit');
  expect(isAlive(Number(leashed.pid))).toBe(true);
  leashed.kill();
});

test('a leftover is ended by its number only if it still is what it was', async () => {
  const other = spawn('sleep', ['600'], { stdio: 'ignore' });
  const gone = once(other, 'exit');
  expect(await endLeftover(Number(other.pid), 'src/main.ts', 'SIGTERM', 1000)).toBe(false);
  expect(isAlive(Number(other.pid))).toBe(true);
  expect(await endLeftover(Number(other.pid), 'sleep 600', 'SIGTERM', 1000)).toBe(true);
  await gone;
});
