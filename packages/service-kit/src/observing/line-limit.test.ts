import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLineLimit } from './line-limit.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('so many lines a minute; of the rest their number, when the minute ends', async () => {
  const told: number[] = [];
  const may = createLineLimit(3, (lines) => told.push(lines));
  expect([may(), may(), may(), may(), may()]).toEqual([true, true, true, false, false]);
  await jest.advanceTimersByTimeAsync(59_999);
  expect(may()).toBe(false);
  expect(told).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(told).toEqual([3]);
  expect(may()).toBe(true);
});

test('of a minute within the limit nothing is told', async () => {
  const told: number[] = [];
  const may = createLineLimit(3, (lines) => told.push(lines));
  may();
  await jest.advanceTimersByTimeAsync(120_000);
  expect(told).toEqual([]);
});
