import { expect } from '@jest/globals';
import fc from 'fast-check';
import { history } from './history.ts';
import { Life } from './life.ts';
import { type End, endOf, wrongs } from './promises.ts';

/** Lives through so many histories; answers on how many evenings an alert stood how. */
export function liveAll(numRuns: number, seed: number): Record<End, number> {
  const evenings: Record<End, number> = {
    'none due': 0,
    task: 0,
    reached: 0,
    'under way': 0,
    held: 0,
    silent: 0,
    broken: 0,
  };
  const property = fc.property(history, (one) => {
    const life = new Life(one);
    life.live(() => {
      const end = endOf(life);
      evenings[end] += 1;
      expect([life.today, end, wrongs(life)]).toEqual([life.today, expect.not.stringMatching('broken'), []]);
    });
  });
  fc.assert(property, { numRuns, seed });
  return evenings;
}
