import { expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { localDate } from '@ops/contracts/local-time';
import { weekdays } from '@ops/contracts/resources/calendar';
import fc from 'fast-check';
import { isWorkingDay, isWorkingTime, type WorkingTime } from '../calendar/calendar.rules.ts';
import { afterNight, leaving, type Waiting } from './leaving.rules.ts';
import { isQuiet } from './quiet-hours.rules.ts';

const night = { from: '20:00', until: '08:00' };
const zurich = 'Europe/Zurich';
const closed = new Map([
  ['2027-03-26', 'Good Friday'],
  ['2027-03-29', 'Easter Monday'],
  ['2027-05-06', 'Ascension Day'],
]);
const office: WorkingTime = {
  working_days: weekdays.slice(0, 5),
  hours: { from: '08:00', until: '18:00' },
  timeZone: zurich,
  closed,
};
const usual: Waiting = { time: office, quietHours: night, zone: zurich };
const alert = { rung: '30', due_date: '2027-12-31' } as const;

const told = (now: string, waiting: Waiting, about: Parameters<typeof leaving>[2] = alert) => {
  const waits = leaving(new Date(now), waiting, about);
  return waits && `${waits.at.toISOString().slice(0, 16)} ${waits.reason.message}`;
};

test.each([
  ['by day at once', '2027-05-04T10:00:00Z', usual, null],
  ['in the night until the morning', '2027-05-04T00:00:00Z', usual, '2027-05-04T06:00 quiet hours of the customer'],
  ['on a Saturday until Monday', '2027-05-08T00:00:00Z', usual, '2027-05-10T06:00 weekend'],
  ['on a holiday until the day after', '2027-05-06T00:00:00Z', usual, '2027-05-07T06:00 Ascension Day'],
  ['after work until the next morning', '2027-05-04T17:00:00Z', usual, '2027-05-05T06:00 quiet hours of the customer'],
  [
    'before work, when the customer is up already',
    '2027-05-04T05:30:00Z',
    { ...usual, quietHours: null },
    '2027-05-04T06:00 outside working hours',
  ],
  [
    'until the customer is up',
    '2027-05-04T07:00:00Z',
    { ...usual, zone: 'America/New_York' },
    '2027-05-04T12:00 quiet hours of the customer',
  ],
  [
    'over days of the week that are none',
    '2027-05-05T00:00:00Z',
    { ...usual, time: { ...office, working_days: ['MONDAY', 'FRIDAY'] } },
    '2027-05-07T06:00 no working day',
  ],
  [
    'over Easter, four days without a working hour',
    '2027-03-26T01:00:00Z',
    usual,
    '2027-03-30T06:00 Good Friday, weekend, Easter Monday',
  ],
  ['in an evening before Easter at once, for no working hour comes in time', '2027-03-25T17:30:00Z', usual, null],
  [
    'to where it is night in all working hours, on a working day after hours',
    '2027-05-08T00:00:00Z',
    { ...usual, zone: 'Pacific/Honolulu', quietHours: { from: '18:00', until: '08:00' } },
    '2027-05-09T22:00 weekend',
  ],
] as [string, string, Waiting, string | null][])('leaves %s', (_, now, waiting, expected) => {
  expect(told(now, waiting)).toBe(expected);
});

test.each([
  ['OVERDUE waits for the night alone', { rung: 'OVERDUE', due_date: '2027-05-07' }, null],
  ['what would come after the date as well', { rung: '7', due_date: '2027-05-09' }, null],
  ['what comes on the date in time waits', { rung: '7', due_date: '2027-05-10' }, '2027-05-10T06:00 weekend'],
] as [string, Parameters<typeof leaving>[2], string | null][])('on a Saturday: %s', (_, about, expected) => {
  expect(told('2027-05-08T10:00:00Z', usual, about)).toBe(expected);
});

test('what waits for the night alone says so, also in the night of a weekend', () => {
  const overdue = { rung: 'OVERDUE', due_date: '2027-05-07' } as const;
  const night = '2027-05-09T06:00 quiet hours of the customer';
  expect(told('2027-05-08T21:00:00Z', usual, overdue)).toBe(night);
  expect(told('2027-05-08T21:00:00Z', usual, { rung: '7', due_date: '2027-05-09' })).toBe(night);
});

test('what a person had sent again leaves on a Sunday, but not in the night', () => {
  expect(afterNight(new Date('2027-05-09T10:00:00Z'), usual)).toBeNull();
  expect(afterNight(new Date('2027-05-09T21:00:00Z'), usual)?.at.toISOString()).toBe('2027-05-10T06:00:00.000Z');
});

test('a firm that is closed for longer than anybody looks ahead keeps nobody waiting', () => {
  const never = new Map(Array.from({ length: 800 }, (_, day) => [addDays('2027-01-01', day), 'Closed'] as const));
  expect(
    told(
      '2027-05-04T10:00:00Z',
      { ...usual, time: { ...office, closed: never } },
      { rung: '90', due_date: '2029-12-31' },
    ),
  ).toBeNull();
});

const zones = [
  'UTC',
  zurich,
  'America/New_York',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Pacific/Chatham',
  'Asia/Kathmandu',
];
const time = (from: number, until: number) =>
  fc
    .tuple(fc.integer({ min: from, max: until }), fc.constantFrom('00', '15', '30', '45'))
    .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`);
// Zones change their clocks in the small hours: what begins then has its own tests, those of the quiet hours.
const hours = fc.record({ from: time(5, 12), until: time(13, 22) });
const quietHours = fc.option(fc.record({ from: time(13, 23), until: time(5, 12) }));
const holidays = fc
  .uniqueArray(fc.integer({ min: 0, max: 1100 }), { maxLength: 366 })
  .map((days) => new Map(days.map((day) => [addDays('2026-01-01', day), 'Demo day'])));
const waitings = fc
  .record({
    working_days: fc.subarray([...weekdays], { minLength: 1 }),
    hours,
    timeZone: fc.constantFrom(...zones),
    closed: holidays,
  })
  .chain((working) => fc.record({ time: fc.constant(working), quietHours, zone: fc.constantFrom(...zones) }));
const instants = fc.date({ min: new Date('2026-02-01'), max: new Date('2027-12-01'), noInvalidDate: true });

const hourMs = 3_600_000;
const isNight = ({ quietHours: quiet, zone }: Waiting, at: Date) => quiet !== null && isQuiet(at, quiet, zone);
const isDay = (waiting: Waiting, at: Date) =>
  isWorkingDay(waiting.time, localDate(at, waiting.time.timeZone)) && !isNight(waiting, at);
const isHour = (waiting: Waiting, at: Date) => isWorkingTime(waiting.time, at) && !isNight(waiting, at);

/** Each quarter of an hour from then on, before the other. */
const quarters = (from: Date, to: Date) => {
  const first = Math.ceil(from.getTime() / (hourMs / 4)) * (hourMs / 4);
  const count = Math.max(0, Math.ceil((to.getTime() - first) / (hourMs / 4)));
  return Array.from({ length: count }, (_, index) => new Date(first + index * (hourMs / 4)));
};

test('whenever, wherever, whatever the calendar: in a working hour of both if one comes within three days, and in the first', () => {
  fc.assert(
    fc.property(waitings, instants, (waiting, now) => {
      const at = leaving(now, waiting, { rung: '90', due_date: '2199-12-31' })?.at ?? now;
      const soon = new Date(now.getTime() + 72 * hourMs);
      const inTime = [now, ...quarters(now, new Date(soon.getTime() + 1))].find((one) => isHour(waiting, one));
      if (inTime) return expect(at).toEqual(inTime);
      expect(isDay(waiting, at)).toBe(true);
      expect(quarters(now, at).filter((one) => isDay(waiting, one))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('never in the night, never before now, and never after the date for anything but the night', () => {
  const rung = fc.constantFrom('90', '30', '7', 'OVERDUE' as const);
  const ahead = fc.integer({ min: -5, max: 10 });
  fc.assert(
    fc.property(waitings, instants, rung, ahead, (waiting, now, rungOf, days) => {
      const due_date = addDays(localDate(now, waiting.time.timeZone), days);
      const about = { rung: rungOf as typeof alert.rung, due_date };
      const at = leaving(now, waiting, about)?.at ?? now;
      expect(isNight(waiting, at)).toBe(false);
      expect(at >= now).toBe(true);
      const isLate = localDate(at, waiting.time.timeZone) > due_date;
      if (isLate || rungOf === 'OVERDUE') expect(at).toEqual(afterNight(now, waiting)?.at ?? now);
    }),
    { numRuns: 500 },
  );
});
