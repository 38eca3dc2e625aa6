import { setTimeout as pause } from 'node:timers/promises';
import { createTurns, type InTurn } from './turns.ts';

/** So that a process that stops is not held up by many of them. */
const longestRestMs = 500;

/**
 * For what is done in bulk: one after the other, and after each a rest as long as it took, up to half a second, so that about half
 * of the machine and of its database is left to whoever waits for a page meanwhile; or only while people are served, where it is
 * known.
 */
export function createGivingWay(isBusy = () => true): InTurn {
  const inTurn = createTurns({ atOnce: 1 });
  return (work) =>
    new Promise((resolve, reject) => {
      void inTurn(async () => {
        const began = performance.now();
        await work().then(resolve, reject);
        if (isBusy()) await pause(Math.min(performance.now() - began, longestRestMs));
      });
    });
}
