import { setTimeout as pause } from 'node:timers/promises';
import { createTurns, type InTurn } from './turns.ts';

const longestRestMs = 1_000;

/**
 * For what is done in bulk: one after the other, and after each a rest as long as it took, so that half of the machine and of
 * its database is left to whoever waits for a page meanwhile.
 */
export function createGivingWay(): InTurn {
  const inTurn = createTurns({ atOnce: 1 });
  return (work) =>
    new Promise((resolve, reject) => {
      void inTurn(async () => {
        const began = performance.now();
        await work().then(resolve, reject);
        await pause(Math.min(performance.now() - began, longestRestMs));
      });
    });
}
