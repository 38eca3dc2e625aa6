import { expect, test } from '@jest/globals';
import { dayAt, daysBetween, withDaysWritten } from './days.ts';

test('days are those of the calendar, across a change of the clocks as well', () => {
  expect(daysBetween('2026-03-28', '2026-03-30')).toBe(2);
  expect(daysBetween('2026-11-21', '2026-11-20')).toBe(-1);
  expect(dayAt(new Date(2026, 10, 21, 0, 0, 1).getTime())).toBe('2026-11-21');
  expect(dayAt(new Date(2026, 10, 21, 23, 59, 59).getTime())).toBe('2026-11-21');
});

test('days among words are written as the reader writes them, and what is no day is left alone', () => {
  const written = (words: string) => withDaysWritten(words, (day) => `<${day}>`);
  expect(written('Permit of Ann, due 2026-03-31; the next one on 2027-04-01')).toBe(
    'Permit of Ann, due <2026-03-31>; the next one on <2027-04-01>',
  );
  for (const words of ['Policy P-2026-03-31', 'Policy 2026-03-31-7', 'on 2026-13-31', 'at 2026-03-31T10:00Z', ''])
    expect(written(words)).toBe(words);
});
