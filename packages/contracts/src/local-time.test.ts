import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instantsOf, localDate, localTime } from './local-time.ts';

test.each([
  ['2026-03-02T00:30:00Z', 'UTC', '2026-03-02'],
  ['2026-03-02T00:30:00Z', 'America/New_York', '2026-03-01'],
  ['2026-03-02T10:30:00Z', 'Pacific/Kiritimati', '2026-03-03'],
  ['2026-03-02T10:30:00Z', 'Pacific/Pago_Pago', '2026-03-01'],
  // Clocks go forward, and back, at 01:00 UTC.
  ['2026-03-29T00:59:59Z', 'Europe/Zurich', '2026-03-29'],
  ['2026-03-28T22:59:59Z', 'Europe/Zurich', '2026-03-28'],
  ['2026-03-28T23:00:00Z', 'Europe/Zurich', '2026-03-29'],
  ['2026-03-29T21:59:59Z', 'Europe/Zurich', '2026-03-29'],
  ['2026-03-29T22:00:00Z', 'Europe/Zurich', '2026-03-30'],
  ['2026-10-25T22:59:59Z', 'Europe/Zurich', '2026-10-25'],
  ['2026-10-25T23:00:00Z', 'Europe/Zurich', '2026-10-26'],
  // Clocks went forward at midnight: this day began at one o'clock.
  ['2018-11-04T02:59:59Z', 'America/Sao_Paulo', '2018-11-03'],
  ['2018-11-04T03:00:00Z', 'America/Sao_Paulo', '2018-11-04'],
])('at %s the calendar of %s shows %s', (now, zone, expected) => {
  expect(localDate(new Date(now), zone)).toBe(expected);
});

test.each([
  ['2026-10-25T02:30:00Z', ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']],
  ['2026-03-29T02:30:00Z', ['2026-03-29T01:30:00.000Z']],
  ['2026-03-29T03:00:00Z', ['2026-03-29T01:00:00.000Z']],
  ['2026-03-29T01:59:59.999Z', ['2026-03-29T00:59:59.999Z']],
])('the clocks of Zurich show %s at %j', (local, instants) => {
  expect(instantsOf(new Date(local), 'Europe/Zurich').map((at) => at.toISOString())).toEqual(instants);
});

const zones = ['UTC', 'Europe/Zurich', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Chatham'];
const instant = fc.date({ min: new Date('2025-01-01'), max: new Date('2027-12-31'), noInvalidDate: true });

test('whatever the clocks show somewhere, they show it at that instant, and at no other than those named', () => {
  fc.assert(
    fc.property(instant, fc.constantFrom(...zones, 'Pacific/Kiritimati', 'Pacific/Pago_Pago'), (at, zone) => {
      const local = localTime(at, zone);
      const instants = instantsOf(local, zone);
      expect(instants).toContainEqual(at);
      for (const one of instants) expect(localTime(one, zone)).toEqual(local);
    }),
    { numRuns: 1_000 },
  );
});
