import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addDays, addMonths, dayOfMonth, daysBetween, mondayOf } from './dates.ts';

test.each([
  ['2026-01-31', 1, 31, '2026-02-28'],
  ['2026-02-28', 1, 31, '2026-03-31'],
  ['2024-01-31', 1, 31, '2024-02-29'],
  ['2024-02-29', 12, 29, '2025-02-28'],
  ['2025-02-28', 36, 29, '2028-02-29'],
  ['2026-12-15', 1, 15, '2027-01-15'],
  ['2026-03-31', -1, 31, '2026-02-28'],
  ['2026-03-10', 24, 10, '2028-03-10'],
  ['2026-11-30', 3, 30, '2027-02-28'],
])('%s and %i months, anchored on the %i., is %s', (date, months, anchor, expected) => {
  expect(addMonths(date, months, anchor)).toBe(expected);
});

const date = fc.integer({ min: -200_000, max: 200_000 }).map((days) => addDays('2026-03-02', days));

test('days are added and counted alike, over leap years and ends of centuries', () => {
  fc.assert(
    fc.property(date, fc.integer({ min: -5_000, max: 5_000 }), (from, days) => {
      expect(daysBetween(from, addDays(from, days))).toBe(days);
    }),
    { seed: 20_260_401, numRuns: 2_000 },
  );
});

test('months lead to the anchor day or the end of the month, and in steps to where they lead at once', () => {
  const months = fc.integer({ min: 1, max: 60 });
  fc.assert(
    fc.property(date, months, months, fc.integer({ min: 1, max: 31 }), (from, first, second, anchor) => {
      const there = addMonths(from, first + second, anchor);
      expect(addMonths(addMonths(from, first, anchor), second, anchor)).toBe(there);
      const isMonthEnd = dayOfMonth(addDays(there, 1)) === 1;
      expect(dayOfMonth(there) === anchor || (isMonthEnd && dayOfMonth(there) < anchor)).toBe(true);
    }),
    { seed: 20_260_402, numRuns: 2_000 },
  );
});

test('a week begins on its Monday', () => {
  expect(['2026-03-01', '2026-03-02', '2026-03-08', '2026-03-09'].map(mondayOf)).toEqual([
    '2026-02-23',
    '2026-03-02',
    '2026-03-02',
    '2026-03-09',
  ]);
});
