import { expect, test } from '@jest/globals';
import type { CalendarYear } from '../api/types.ts';
import { changeInWords, changeOf, closedBecause, monthsOf, toggledDay, weekdays, type Year } from './calendar-days.ts';

const week = weekdays.slice(0, 5);
const days: CalendarYear['days'] = [
  { date: '2027-05-06', name: 'Ascension Day', kind: 'public', closed: true },
  { date: '2027-05-17', name: 'Open house', kind: 'own', closed: false },
];

test.each([
  ['2027-05-05', null],
  ['2027-05-06', 'Ascension Day'],
  ['2027-05-08', 'No working day'],
  ['2027-05-17', null],
])('%s: %s', (date, expected) => {
  expect(closedBecause(date, week, days)?.name ?? null).toBe(expected);
});

test('every day of a year stands once, in weeks from Monday on', () => {
  for (const year of [2027, 2028]) {
    const months = monthsOf(year);
    expect(months.map(({ first }) => first.slice(5, 7))).toEqual(
      months.map((_, at) => String(at + 1).padStart(2, '0')),
    );
    const all = months.flatMap(({ weeks }) => weeks.flat()).filter((date) => date !== null);
    expect(new Set(all).size).toBe(year === 2028 ? 366 : 365);
    expect(all.toSorted()).toEqual(all);
    for (const { weeks } of months)
      for (const one of weeks)
        expect(one.every((date, at) => !date || (new Date(date).getUTCDay() + 6) % 7 === at)).toBe(true);
  }
});

test('what changes between what is saved and what is typed', () => {
  const saved: Year = { working: week, days: [] };
  const change = changeOf(2027, saved, { working: week, days });
  expect(change).toEqual({ closed: ['2027-05-06'], opened: [] });
  expect(changeInWords(change, 2027)).toBe('Not saved yet, in 2027: 1 day more without work.');
  expect(changeInWords(changeOf(2027, saved, { working: [...week, 'SATURDAY'], days: [] }), 2027)).toBe(
    'Not saved yet, in 2027: 52 days more with work.',
  );
  expect(changeInWords(changeOf(2027, saved, saved), 2027)).toBe('Nothing changes in 2027.');
});

test('a weekday is chosen and taken out in the order of the week', () => {
  expect(toggledDay(['SUNDAY'], 'MONDAY')).toEqual(['MONDAY', 'SUNDAY']);
  expect(toggledDay(['MONDAY', 'SUNDAY'], 'SUNDAY')).toEqual(['MONDAY']);
});
