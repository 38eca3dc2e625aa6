import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createPace, type PaceLimits } from './pacing.rules.ts';

const limits: PaceLimits = { perSecond: 5, atOnce: 3, failures: 2, coolDownMs: 30_000 };
const trouble = { provider: 'in_trouble' } as const;
const answered = { provider: 'answered' } as const;
const notAsked = { provider: 'not_asked' } as const;

test('never more than the rate in any stretch of time, but for what a pause had saved up', () => {
  const steps = fc.array(fc.nat(2_000), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 50 }), (waits, perSecond) => {
      const pace = createPace({ ...limits, perSecond, atOnce: 10_000 }, 0);
      let now = 0;
      const sends: { at: number; count: number }[] = [];
      for (const wait of waits) {
        now += wait;
        const count = pace.allowance(now);
        pace.taken(count);
        sends.push({ at: now, count });
      }
      for (const [n, { at: start }] of sends.entries()) {
        const sent = sends.slice(n).reduce((sum, { count }) => sum + count, 0);
        expect(sent).toBeLessThanOrEqual(perSecond + ((now - start) / 1000) * perSecond + 0.001);
      }
    }),
  );
});

test('a rate below one a second still sends', () => {
  const pace = createPace({ ...limits, perSecond: 0.5 }, 0);
  expect(pace.allowance(0)).toBe(1);
  pace.taken(1);
  pace.ended(answered, 0);
  expect([pace.allowance(1_999), pace.allowance(2_000)]).toEqual([0, 1]);
});

test('no more at once than there is room for', () => {
  const pace = createPace(limits, 0);
  pace.taken(pace.allowance(0));
  expect(pace.allowance(60_000)).toBe(0);
  pace.ended(answered, 60_000);
  expect(pace.allowance(60_000)).toBe(1);
});

test('after failures in a row it is left alone, then one message finds out', () => {
  const pace = createPace(limits, 0);
  pace.taken(2);
  pace.ended(trouble, 0);
  pace.ended(trouble, 100);
  expect([pace.allowance(100), pace.allowance(30_099), pace.allowance(30_100)]).toEqual([0, 0, 1]);
  pace.taken(1);
  expect(pace.allowance(40_000)).toBe(0);
  pace.ended(trouble, 40_000);
  expect([pace.allowance(69_999), pace.allowance(70_000), pace.leftAlone()]).toEqual([0, 1, true]);
  pace.taken(1);
  pace.ended(answered, 70_000);
  expect(pace.leftAlone()).toBe(false);
  expect(pace.allowance(70_000)).toBe(3);
});

test('an answer in between starts the count again; what never went out counts neither way', () => {
  const pace = createPace(limits, 0);
  pace.taken(4);
  for (const ending of [trouble, answered, trouble, notAsked]) pace.ended(ending, 0);
  expect(pace.allowance(0)).toBe(1);
  pace.taken(1);
  pace.ended(trouble, 0);
  expect(pace.allowance(29_999)).toBe(0);
});

test('a probe that never went out leaves room for the next', () => {
  const pace = createPace(limits, 0);
  pace.taken(2);
  pace.ended(trouble, 0);
  pace.ended(trouble, 0);
  expect(pace.allowance(30_000)).toBe(1);
  pace.taken(1);
  pace.ended(notAsked, 30_000);
  expect(pace.allowance(30_000)).toBe(1);
});

test.each([
  ['as long as it asks', 90_000, 90_000],
  ['an hour, when it asks for longer', 365 * 24 * 3_600_000, 3_600_000],
])('it is left alone for %s', (_, retryAfterMs, rest) => {
  const pace = createPace({ ...limits, failures: 1 }, 0);
  pace.taken(1);
  pace.ended({ ...trouble, retryAfterMs }, 0);
  expect([pace.allowance(rest - 1), pace.allowance(rest)]).toEqual([0, 1]);
});
