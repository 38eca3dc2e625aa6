import { expect, test } from '@jest/globals';
import { dayAt, daysBetween } from './days.ts';

test('days are those of the calendar, across a change of the clocks as well', () => {
  expect(daysBetween('2026-03-28', '2026-03-30')).toBe(2);
  expect(daysBetween('2026-11-21', '2026-11-20')).toBe(-1);
  expect(dayAt(new Date(2026, 10, 21, 0, 0, 1).getTime())).toBe('2026-11-21');
  expect(dayAt(new Date(2026, 10, 21, 23, 59, 59).getTime())).toBe('2026-11-21');
});
