import { expect, test } from '@jest/globals';
import { instantIn, localMinute } from './local-minute.ts';

test('a field for day and time gives back the minute it was given, where the person sits', () => {
  const at = Date.parse('2026-03-01T12:34:00.000Z');
  expect(instantIn(localMinute(at))).toBe('2026-03-01T12:34:00.000Z');
  expect(localMinute(at)).toMatch(/^2026-0[23]-\d\dT\d\d:\d4$/);
});

test.each(['', 'no day'])('%j holds none', (text) => {
  expect(instantIn(text)).toBeUndefined();
});
