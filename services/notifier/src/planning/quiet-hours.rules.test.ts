import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isQuiet, quietUntil } from './quiet-hours.rules.ts';

const night = { from: '20:00', until: '08:00' };

test.each([
  ['in the middle of the night', '2026-01-15T02:00:00Z', 'UTC', '2026-01-15T08:00:00.000Z'],
  ['in the evening, until the next morning', '2026-01-15T21:30:00Z', 'UTC', '2026-01-16T08:00:00.000Z'],
  ['from its first minute', '2026-01-15T20:00:00Z', 'UTC', '2026-01-16T08:00:00.000Z'],
  ['not a minute before', '2026-01-15T19:59:59Z', 'UTC', null],
  ['to its last second', '2026-01-15T07:59:59Z', 'UTC', '2026-01-15T08:00:00.000Z'],
  ['not at its end', '2026-01-15T08:00:00Z', 'UTC', null],
  ['not at noon', '2026-01-15T12:00:00Z', 'UTC', null],
  ['by the customer’s clock', '2026-01-15T02:00:00Z', 'Europe/Zurich', '2026-01-15T07:00:00.000Z'],
  ['which may show another hour', '2026-01-15T02:00:00Z', 'Asia/Tokyo', null],
  ['west of the date line', '2026-01-15T10:30:00Z', 'Pacific/Kiritimati', '2026-01-15T18:00:00.000Z'],
  ['east of the date line', '2026-01-15T10:30:00Z', 'Pacific/Pago_Pago', '2026-01-15T19:00:00.000Z'],
  ['with an offset of three quarters', '2026-01-15T20:00:00Z', 'Asia/Kathmandu', '2026-01-16T02:15:00.000Z'],
  ['a night that is an hour short', '2026-03-28T22:00:00Z', 'Europe/Zurich', '2026-03-29T06:00:00.000Z'],
  ['a night that is an hour long', '2026-10-24T21:00:00Z', 'Europe/Zurich', '2026-10-25T07:00:00.000Z'],
  ['half an hour long', '2026-04-04T12:00:00Z', 'Australia/Lord_Howe', '2026-04-04T21:30:00.000Z'],
])('%s: %s in %s waits until %s', (_, now, zone, until) => {
  expect(quietUntil(new Date(now), night, zone)?.toISOString() ?? null).toBe(until);
});

test.each([
  ['a rest by day', '2026-01-15T11:30:00Z', { from: '12:00', until: '14:00' }, '2026-01-15T13:00:00.000Z'],
  [
    'an end the clock jumps over',
    '2026-03-29T00:30:00Z',
    { from: '22:00', until: '02:30' },
    '2026-03-29T01:30:00.000Z',
  ],
  ['an end that comes twice', '2026-10-24T23:30:00Z', { from: '22:00', until: '02:30' }, '2026-10-25T00:30:00.000Z'],
  ['none', '2026-01-15T02:00:00Z', null, null],
])('%s', (_, now, hours, until) => {
  expect(quietUntil(new Date(now), hours, 'Europe/Zurich')?.toISOString() ?? null).toBe(until);
});

const zones = [
  'UTC',
  'Europe/Zurich',
  'America/New_York',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Pacific/Chatham',
];
const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));

test('whenever and wherever: never inside the quiet hours, never before now, never more than a day and an hour later', () => {
  const at = fc.date({ min: new Date('2025-01-01'), max: new Date('2027-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(at, fc.constantFrom(...zones), time, time, (now, zone, from, until) => {
      fc.pre(from !== until);
      const hours = { from, until };
      const end = quietUntil(now, hours, zone);
      expect(end === null).toBe(!isQuiet(now, hours, zone));
      if (end === null) return;
      expect(isQuiet(end, hours, zone)).toBe(false);
      expect(end.getTime()).toBeGreaterThan(now.getTime());
      expect(end.getTime() - now.getTime()).toBeLessThanOrEqual(25 * 3_600_000);
    }),
    { numRuns: 1_000 },
  );
});
