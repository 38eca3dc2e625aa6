import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { logLines } from '../../test/app.ts';
import { every, type Job } from './every.ts';

let job: Job | undefined;
let turns = 0;
const { lines, logger } = logLines();

beforeEach(() => {
  jest.useFakeTimers();
  turns = 0;
});
afterEach(async () => {
  await job?.stop();
  jest.useRealTimers();
});

test('a turn that takes long is not followed by all those that passed meanwhile, and a stop waits for it alone', async () => {
  const atWork = Promise.withResolvers<void>();
  job = every(
    100,
    () => {
      turns += 1;
      return atWork.promise;
    },
    logger,
  );
  await jest.advanceTimersByTimeAsync(1_000);
  const stopped = job.stop();
  atWork.resolve();
  await stopped;
  expect(turns).toBe(1);
});

test('the next turn comes after it', async () => {
  job = every(
    100,
    () => {
      turns += 1;
      return new Promise((resolve) => setTimeout(resolve, 150));
    },
    logger,
  );
  await jest.advanceTimersByTimeAsync(470);
  expect(turns).toBe(2);
});

test('a first turn may come at once, joined by none and told when to end', async () => {
  let goesOn = () => false;
  const atWork = Promise.withResolvers<void>();
  const work = (asked: () => boolean) => {
    turns += 1;
    goesOn = asked;
    return atWork.promise;
  };
  job = every(100, work, logger, { atOnce: true });
  expect([turns, goesOn()]).toEqual([1, true]);
  await jest.advanceTimersByTimeAsync(250);
  const stopped = job.stop();
  expect([turns, goesOn()]).toEqual([1, false]);
  atWork.resolve();
  await stopped;
});

test('a turn that fails, in whatever way, is logged and the next one comes', async () => {
  job = every(
    100,
    () => {
      turns += 1;
      if (turns === 1) throw new Error('no disk');
      return Promise.reject(new Error('no disk'));
    },
    logger,
  );
  await jest.advanceTimersByTimeAsync(200);
  expect([turns, lines.filter((line) => line.includes('no disk')).length]).toEqual([2, 2]);
});
