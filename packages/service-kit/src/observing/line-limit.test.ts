import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLineLimit } from './line-limit.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('so many lines a minute; of the rest their number, once the minute is over', () => {
  const told: number[] = [];
  const may = createLineLimit(3, (lines) => told.push(lines));
  expect([may(), may(), may(), may(), may()]).toEqual([true, true, true, false, false]);
  jest.setSystemTime(Date.now() + 59_999);
  expect(may()).toBe(false);
  expect(told).toEqual([]);
  jest.setSystemTime(Date.now() + 1);
  expect(may()).toBe(true);
  expect(told).toEqual([3]);
});

test('of a minute within the limit nothing is told', () => {
  const told: number[] = [];
  const may = createLineLimit(3, (lines) => told.push(lines));
  may();
  jest.setSystemTime(Date.now() + 60_000);
  may();
  expect(told).toEqual([]);
});
