import { describe, expect, test } from '@jest/globals';
import { addDays, daysBetween } from '@ops/contracts/dates';
import { type PutCalendar, weekdays } from '@ops/contracts/resources/calendar';
import fc from 'fast-check';
import {
  afterWorkingHours,
  closedDays,
  daysOfYear,
  isWorkingDay,
  isWorkingTime,
  problemsOf,
  taskDueOn,
  type WorkingTime,
} from './calendar.rules.ts';

const week = weekdays.slice(0, 5);
const firm = (
  closed: Record<string, string> = {},
  working_days: WorkingTime['working_days'] = [...week],
): WorkingTime => ({
  working_days,
  hours: { from: '08:00', until: '18:00' },
  timeZone: 'Europe/Zurich',
  closed: new Map(Object.entries(closed)),
});

test.each([
  ['the date itself', '2027-05-05', '2027-04-21', '2027-05-05'],
  ['the Friday before a Sunday', '2027-05-09', '2027-04-25', '2027-05-07'],
  ['the day before a holiday', '2027-05-06', '2027-04-22', '2027-05-05'],
  ['today, though it is none, for what is due today', '2027-05-08', '2027-05-08', '2027-05-08'],
  ['the date, where no working day comes before it', '2027-05-09', '2027-05-08', '2027-05-09'],
  ['today, once the date is past', '2027-05-04', '2027-05-05', '2027-05-05'],
  ['the Monday after, if that is a Saturday', '2027-05-07', '2027-05-08', '2027-05-10'],
])('a task is due on %s', (_, dueDate, today, expected) => {
  expect(taskDueOn(firm({ '2027-05-06': 'Ascension Day' }), dueDate, today)).toBe(expected);
});

test.each([
  ['within a day', '2027-05-03T08:00Z', '2027-05-03T16:00Z'],
  ['over the night', '2027-05-03T14:00Z', '2027-05-04T12:00Z'],
  ['from the morning on, what came in the night', '2027-05-03T02:00Z', '2027-05-03T14:00Z'],
  ['over a weekend', '2027-05-07T15:00Z', '2027-05-10T13:00Z'],
  ['over a holiday', '2027-05-05T15:00Z', '2027-05-07T13:00Z'],
  ['over the night in which the clocks change', '2027-03-26T16:00Z', '2027-03-29T13:00Z'],
])('eight hours of work pass %s', (_, since, expected) => {
  const time = firm({ '2027-05-06': 'Ascension Day' });
  expect(afterWorkingHours(time, 8)(new Date(since))).toEqual(new Date(expected));
});

const date = fc.integer({ min: 0, max: 800 }).map((days) => addDays('2026-06-01', days));
const working = fc.subarray([...weekdays], { minLength: 1 });
const closed = fc.dictionary(date, fc.constant('Demo day'), { maxKeys: 60 });

test('whatever the calendar, so many of the minutes between are working time', () => {
  const hours = fc.integer({ min: 1, max: 30 });
  fc.assert(
    fc.property(
      working,
      closed,
      date,
      hours,
      fc.integer({ min: 0, max: 1439 }),
      (days, holidays, from, wanted, minute) => {
        const time = firm(holidays, days);
        const since = new Date(Date.parse(from) + minute * 60_000);
        const end = afterWorkingHours(time, wanted)(since);
        let worked = 0;
        for (let at = since.getTime(); at < end.getTime(); at += 60_000)
          if (isWorkingTime(time, new Date(at))) worked += 1;
        expect(worked).toBe(wanted * 60);
      },
    ),
    { numRuns: 15 },
  );
});

test('whatever the calendar: never before today, never after a date that is ahead, and as late a working day as there is', () => {
  fc.assert(
    fc.property(working, closed, date, date, (days, holidays, dueDate, today) => {
      const time = firm(holidays, days);
      const due = taskDueOn(time, dueDate, today);
      expect(due >= today).toBe(true);
      if (dueDate < today) return expect(isWorkingDay(time, due)).toBe(true);
      expect(due <= dueDate).toBe(true);
      const after = Array.from({ length: daysBetween(due, dueDate) }, (_, index) => addDays(due, index + 1));
      expect(after.filter((day) => isWorkingDay(time, day))).toEqual([]);
    }),
  );
});

describe('own days', () => {
  const known = new Map([
    ['2027-05-06', 'Ascension Day'],
    ['2027-08-01', 'Demo national day'],
  ]);
  const own = [
    { date: '2027-12-24', name: 'Demo day', closed: true },
    { date: '2027-05-06', name: 'Open house', closed: false },
    { date: '2028-01-03', name: 'Another year', closed: true },
  ];

  test('close a day, and open one that is a public holiday', () => {
    expect([...closedDays(known, own).keys()].toSorted()).toEqual(['2027-08-01', '2027-12-24', '2028-01-03']);
  });

  test('stand in the year among the public ones, which they take the place of', () => {
    expect(daysOfYear(2027, known, own)).toEqual([
      { date: '2027-05-06', name: 'Open house', kind: 'own', closed: false },
      { date: '2027-08-01', name: 'Demo national day', kind: 'public', closed: true },
      { date: '2027-12-24', name: 'Demo day', kind: 'own', closed: true },
    ]);
  });
});

const good: PutCalendar = {
  working_days: [...week],
  hours: { from: '08:00', until: '18:00' },
  country: null,
  region: null,
  holidays: [],
  answer_within_hours: 8,
};
const demoland = { code: 'CH', name: 'Switzerland', regions: [{ code: 'ZH', name: 'Zurich' }] };
const twice = { date: '2027-12-24', name: 'Demo day', closed: true };

test.each([
  ['nothing', good, []],
  ['no working day at all', { ...good, working_days: [] }, ['working_days']],
  ['a day named twice', { ...good, working_days: ['MONDAY', 'MONDAY'] }, ['working_days']],
  ['hours the wrong way round', { ...good, hours: { from: '18:00', until: '08:00' } }, ['hours.until']],
  ['hours that are none', { ...good, hours: { from: '08:00', until: '08:00' } }, ['hours.until']],
  ['the whole day', { ...good, hours: { from: '00:00', until: '24:00' } }, []],
  ['an unknown country', { ...good, country: 'XX' }, ['country']],
  ['a region of no country', { ...good, region: 'ZH' }, ['region']],
  ['a region of another', { ...good, country: 'CH', region: 'BY' }, ['region']],
  ['a region it has', { ...good, country: 'CH', region: 'ZH' }, []],
  ['a day in the list twice', { ...good, holidays: [twice, { ...twice, closed: false }] }, ['holidays.1.date']],
] as [string, PutCalendar, string[]][])('%s', (_, calendar, paths) => {
  const country = calendar.country === 'CH' ? demoland : undefined;
  expect(problemsOf(calendar, country).map(({ path }) => path)).toEqual(paths);
});
