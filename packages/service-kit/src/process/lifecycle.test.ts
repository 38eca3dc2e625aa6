import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';

const script = fileURLToPath(new URL('../../test/lifecycle-process.ts', import.meta.url));

interface Started {
  child: ChildProcess;
  output: () => string;
  /** The exit code, or the signal that ended it. */
  exit: Promise<number | string>;
}

function start(kind: string, env = process.env): Started {
  const child = spawn(process.execPath, [script, kind], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let output = '';
  const streams = [child.stdout, child.stderr].map((stream) => {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
    return once(stream as NodeJS.ReadableStream, 'end');
  });
  const exit = Promise.all([once(child, 'exit'), ...streams]).then(([[code, signal]]) => code ?? signal);
  return { child, output: () => output, exit };
}

/** The first message to the parent; one that ends before it has said anything fails the test at once. */
async function firstMessage({ child, exit, output }: Started): Promise<unknown> {
  const ended = exit.then((code) => Promise.reject(new Error(`ended with ${code}: ${output()}`)));
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message;
}

async function logged({ child, output }: Started, words: string): Promise<void> {
  while (!output().includes(words)) await once(child.stdout as NodeJS.ReadableStream, 'data');
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'tells its parent when it is ready and stops in order on %s',
  async (signal) => {
    const service = start('fine');
    expect(await firstMessage(service)).toEqual({ type: 'ready', port: 1, metricsPort: 2 });
    service.child.kill(signal);
    expect(await service.exit).toBe(0);
    expect(service.output()).toContain('"msg":"stopped"');
  },
);

test('keeps what Node made of the sources for the next start, whatever becomes of it then', async () => {
  const kept = await mkdtemp(join(tmpdir(), 'ops-test-compiled-'));
  const service = start('fine', { ...process.env, NODE_COMPILE_CACHE: kept });
  await firstMessage(service);
  await eventually(async () =>
    expect(await readdir(kept, { recursive: true })).toContainEqual(expect.stringMatching(/[0-9a-f]{8}$/)),
  );
  service.child.kill('SIGKILL');
  await service.exit;
  await rm(kept, { recursive: true });
});

test('takes its leave before it stops, and not when it is asked again', async () => {
  const service = start('leaves-long');
  await firstMessage(service);
  service.child.kill('SIGTERM');
  expect(await firstMessage(service)).toBe('leaving');
  service.child.kill('SIGTERM');
  expect(await service.exit).toBe(1);
  expect(service.output()).not.toContain('"msg":"stopped"');
});

test('stops when its parent is gone', async () => {
  const service = start('fine');
  await firstMessage(service);
  service.child.disconnect();
  expect(await service.exit).toBe(0);
  expect(service.output()).toContain('parent gone');
});

/** Starts the service, and dies without a word as soon as it is ready. */
const dyingParent = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, [${JSON.stringify(script)}, 'fine'], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  child.once('message', () => process.kill(process.pid, 'SIGKILL'));
`;

test('ends when its parent was killed, though nobody reads its last lines any more', async () => {
  const parent = spawn(process.execPath, ['--eval', dyingParent], { stdio: ['ignore', 'ignore', 'pipe'] });
  // The service holds the other end of this pipe as long as it lives.
  const serviceIsGone = once(parent.stderr.resume(), 'end');
  const [, signal] = await once(parent, 'exit');
  expect(signal).toBe('SIGKILL');
  await serviceIsGone;
});

test('a wrong setting is one readable message and exit code 78, with no stack', async () => {
  const service = start('bad-config');
  expect(await service.exit).toBe(78);
  expect(service.output()).toBe('PORT: expected a port\n');
});

test('a failed start is logged as fatal and ends the process', async () => {
  const service = start('cannot-start');
  expect(await service.exit).toBe(1);
  expect(JSON.parse(service.output())).toMatchObject({ level: 'fatal', err: { message: 'no database' } });
});

test('asked to stop before it was ready it ends at once', async () => {
  const service = start('never-started');
  await firstMessage(service);
  service.child.kill('SIGTERM');
  expect(await service.exit).toBe(0);
});

test('an error nobody handled ends the process, logged as fatal', async () => {
  const service = start('unhandled');
  expect(await service.exit).toBe(1);
  expect(service.output()).toMatch(/"level":"fatal".*nobody cared/);
});

test('a stop that fails is told by the exit code', async () => {
  const service = start('stop-fails');
  await firstMessage(service);
  service.child.kill('SIGTERM');
  expect(await service.exit).toBe(1);
});

test('a second signal ends a stop that hangs', async () => {
  const service = start('stop-hangs');
  await firstMessage(service);
  service.child.kill('SIGTERM');
  await logged(service, 'stopping');
  service.child.kill('SIGTERM');
  expect(await service.exit).toBe(1);
});
