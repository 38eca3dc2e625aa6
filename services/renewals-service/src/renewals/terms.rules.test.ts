import { expect, test } from '@jest/globals';
import { addDays, addMonths, dayOfMonth } from '@ops/contracts/dates';
import fc from 'fast-check';
import { anchoredAt, nextTerm } from './terms.rules.ts';

const next = (due_date: string, anchor_day: number, months: number, today: string) =>
  nextTerm({ due_date, anchor_day }, months, today)?.due_date ?? null;

test('the 31st falls on the end of February and comes back in March', () => {
  expect(next('2026-01-31', 31, 1, '2026-01-20')).toBe('2026-02-28');
  expect(next('2026-02-28', 31, 1, '2026-02-20')).toBe('2026-03-31');
  expect(next('2028-01-31', 31, 1, '2028-01-20')).toBe('2028-02-29');
});

test.each([
  ['completed early', '2026-06-15', 12, '2026-03-02', '2027-06-15'],
  ['on the day', '2026-06-15', 12, '2026-06-15', '2027-06-15'],
  ['late, within a term', '2026-06-15', 12, '2027-06-14', '2027-06-15'],
  ['on the day a term ends: that is past', '2026-06-15', 12, '2027-06-15', '2028-06-15'],
  ['after several terms', '2020-06-15', 12, '2026-03-02', '2026-06-15'],
  ['a leap day', '2024-02-29', 12, '2024-02-01', '2025-02-28'],
])('%s', (_, due, months, today, expected) => {
  expect(next(due, dayOfMonth(due), months, today)).toBe(expected);
});

test('a leap day comes back in the next leap year', () => {
  expect(next('2025-02-28', 29, 36, '2025-01-01')).toBe('2028-02-29');
});

test('there is nothing beyond the last date there is', () => {
  expect(next('2199-06-15', 15, 12, '2199-01-01')).toBeNull();
});

const date = fc.integer({ min: 0, max: 40_000 }).map((days) => addDays('1990-01-01', days));
const anchored = fc
  .tuple(date, fc.integer({ min: 1, max: 31 }))
  .map(([from, day]) => ({ due_date: addMonths(from, 0, day), anchor_day: day }));
const months = fc.integer({ min: 1, max: 120 });

test('a next term ends after today, a whole number of periods on, and no earlier one would do', () => {
  fc.assert(
    fc.property(anchored, months, date, (from, length, today) => {
      const found = nextTerm(from, length, today);
      if (found === null) return;
      expect(found.due_date > today && found.due_date > from.due_date).toBe(true);
      const at = (periods: number) => addMonths(from.due_date, periods * length, from.anchor_day);
      const periods = Array.from({ length: 3_600 }, (_, n) => n + 1).find((n) => at(n) === found.due_date);
      expect(periods).toBeDefined();
      if (periods && periods > 1) expect(at(periods - 1) <= today).toBe(true);
    }),
    { seed: 20_260_403, numRuns: 500 },
  );
});

test('term by term leads to where all of them at once lead: no day is ever lost', () => {
  fc.assert(
    fc.property(anchored, months, fc.integer({ min: 1, max: 24 }), (from, length, terms) => {
      let current = from;
      for (let n = 0; n < terms; n++) {
        const following = nextTerm(current, length, current.due_date);
        if (following === null) return;
        current = following;
      }
      expect(current.due_date).toBe(addMonths(from.due_date, terms * length, from.anchor_day));
      expect(current.anchor_day).toBe(from.anchor_day);
    }),
    { seed: 20_260_404, numRuns: 1_000 },
  );
});

test('a given date is counted by its own day, unless it is the anchor day in a shorter month', () => {
  expect(anchoredAt('2026-02-28', 31).anchor_day).toBe(31);
  expect(anchoredAt('2026-02-28', 30).anchor_day).toBe(30);
  expect(anchoredAt('2026-02-27', 31).anchor_day).toBe(27);
  expect(anchoredAt('2026-04-15', 31).anchor_day).toBe(15);
  expect(anchoredAt('2026-02-28').anchor_day).toBe(28);
});
