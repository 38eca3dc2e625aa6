import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aheadBy, clockLine } from './clock.ts';

const at = Date.parse('2030-01-31T12:00:00Z');

describe('a clock', () => {
  test('is believed to agree as long as the way there and back, or rounding, may explain the difference', () => {
    const ms = fc.integer({ min: 0, max: 20_000 });
    fc.assert(
      fc.property(ms, ms, fc.constantFrom(1, 1000), (there, back, resolutionMs) => {
        const theirs = Math.floor(at / resolutionMs) * resolutionMs;
        expect(Math.abs(aheadBy({ theirs, asked: at - there, answered: at + back, resolutionMs }))).toBe(0);
      }),
    );
  });

  test.each([
    [4_000, 'ok', 'agrees with Postgres'],
    [-4_000, 'ok', 'agrees with Postgres'],
    [8_000, 'warning', '8 s ahead of Postgres'],
    [-8_000, 'warning', '8 s behind Postgres'],
    [31_000, 'failed', '31 s ahead of Postgres'],
    [-86_400_000, 'failed', '86400 s behind Postgres'],
  ])('that differs by %i ms is %s', (difference, status, said) => {
    const reading = { theirs: at - difference, asked: at, answered: at + 1, resolutionMs: 1 };
    const line = clockLine('clock', 'Postgres', { ...reading, theirs: reading.theirs + (difference > 0 ? -1 : 1) });
    expect(line).toMatchObject({ name: 'clock', status, said });
    if (line.status !== 'ok') expect(line.fix).toContain('NTP');
  });
});
