import { expect, test } from '@jest/globals';
import { retryAfterMs } from './retry-after.rules.ts';

const now = new Date('2026-03-01T10:00:00Z');

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['Sun, 01 Mar 2026 10:00:30 GMT', 30_000],
  ['Sun, 01 Mar 2026 09:00:00 GMT', 0],
  ['-5', undefined],
  ['1.5', undefined],
  ['99999999999', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After: %s', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms);
});
