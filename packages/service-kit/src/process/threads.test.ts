import { expect, test } from '@jest/globals';
import { createThreads, type ThreadLimits } from './threads.ts';
import { BusyError } from './turns.ts';

const script = new URL('../../test/thread-script.ts', import.meta.url);
const enough: ThreadLimits = { atOnce: 1, milliseconds: 60_000, megabytes: 64 };
const threads = (limits: Partial<ThreadLimits> = {}) => createThreads({ ...enough, ...limits });

test('a thread answers, or says why it gives up', async () => {
  const inThread = threads();
  expect(await inThread(script, { does: 'answer' })).toBe('read');
  await expect(inThread(script, { does: 'give up' })).rejects.toThrow('beyond reason');
  await expect(inThread(script, { does: 'fail' })).rejects.toThrow('a bug');
  await expect(inThread(script, { does: 'say nothing' })).rejects.toThrow('ended early');
});

test('a thread that goes on for ever, or takes all memory, is ended, and the next one has its place', async () => {
  const inThread = threads({ milliseconds: 500, megabytes: 16 });
  await expect(inThread(script, { does: 'go on' })).rejects.toThrow('takes too long');
  const patient = threads({ megabytes: 16 });
  await expect(patient(script, { does: 'grow' })).rejects.toThrow('memory');
  expect(await patient(script, { does: 'answer' })).toBe('read');
});

test('so many at once, so many that wait; whoever comes then is told at once', async () => {
  const inThread = threads({ waiting: 1 });
  const memory = new SharedArrayBuffer(4);
  const first = inThread(script, { does: 'wait', memory });
  const second = inThread(script, { does: 'answer' });
  await expect(inThread(script, { does: 'answer' })).rejects.toBeInstanceOf(BusyError);
  Atomics.store(new Int32Array(memory), 0, 1);
  Atomics.notify(new Int32Array(memory), 0);
  expect(await Promise.all([first, second])).toEqual(['waited', 'read']);
  expect(await inThread(script, { does: 'answer' })).toBe('read');
});
