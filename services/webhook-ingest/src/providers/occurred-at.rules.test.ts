import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { whenSaid } from './occurred-at.rules.ts';

const receivedAt = new Date('2026-05-05T10:00:00.000Z');
const received = receivedAt.toISOString();

test.each([
  ['2026-04-28T10:00:00.000Z', true],
  ['2026-04-28T09:59:59.999Z', false],
  ['2026-05-05T10:10:00.000Z', true],
  ['2026-05-05T10:10:00.001Z', false],
  ['2018-01-01T00:00:00.000Z', false],
])('what came at ten on 5 May and says %s is believed: %s', (given, believed) => {
  expect(whenSaid(new Date(given), receivedAt)).toEqual(
    believed ? { occurred_at: given, claimed_at: null } : { occurred_at: received, claimed_at: given },
  );
});

test('any date at all, or none: it occurred within a week before and ten minutes after it came, in four digits', () => {
  const date = fc.option(fc.date({ noInvalidDate: false }), { nil: undefined });
  fc.assert(
    fc.property(date, (given) => {
      const { occurred_at, claimed_at } = whenSaid(given, receivedAt);
      const distance = Date.parse(occurred_at) - receivedAt.getTime();
      expect(distance).toBeGreaterThanOrEqual(-7 * 86_400_000);
      expect(distance).toBeLessThanOrEqual(600_000);
      expect(claimed_at ?? occurred_at).toMatch(/^\d{4}-/);
      if (claimed_at !== null) expect(occurred_at).toBe(received);
    }),
  );
});
