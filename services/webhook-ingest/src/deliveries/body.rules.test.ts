import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { lateAt, usualPace } from './body.rules.ts';

const mib = 1024 * 1024;

test('a mail of eleven MiB through a line of 2 Mbit/s is in time all the way', () => {
  for (let ms = 0; ms <= 46_000; ms += 500) {
    const bytes = Math.min(11 * mib, ms * 250);
    expect(lateAt({ beganAt: 0, heardAt: ms, bytes }, usualPace)).toBeGreaterThan(ms);
  }
});

test('whatever came and whenever: an end comes, before the one of the server', () => {
  const at = fc.integer({ min: 0, max: 10 ** 9 });
  fc.assert(
    fc.property(at, fc.nat(120_000), fc.nat(40 * mib), (beganAt, since, bytes) => {
      const heardAt = beganAt + since;
      const late = lateAt({ beganAt, heardAt, bytes }, usualPace);
      expect(late).toBeLessThan(beganAt + 60_000);
      expect(late).toBeLessThanOrEqual(heardAt + 10_000);
      expect(lateAt({ beganAt, heardAt, bytes: bytes + mib }, usualPace)).toBeGreaterThanOrEqual(late);
    }),
  );
  expect(lateAt({ beganAt: 0, heardAt: 60_000, bytes: mib }, usualPace)).toBe(14_000);
});
