import { expect, test } from '@jest/globals';
import { businessDate } from './business-date.ts';

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
  expect(businessDate(new Date(now), zone)).toBe(expected);
});
