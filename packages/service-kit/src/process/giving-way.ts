import { setTimeout as pause } from 'node:timers/promises';
import { createTurns, type InTurn } from './turns.ts';

/** About three quarters of the machine and of its database are left to whoever waits for a page meanwhile. */
const restsPerWork = 3;
/** So that a process that stops is not held up by many of them. */
const longestRestMs = 500;
/** In a queue more of the same comes together meanwhile: one message costs nearly what ten of them cost at once. */
const shortestTurnRestMs = 100;

/** Three times as long as what began then has taken, up to half a second. */
export const restAfter = (began: number, shortestMs = 0): Promise<void> =>
  pause(Math.max(shortestMs, Math.min(restsPerWork * (performance.now() - began), longestRestMs)));

/**
 * For what is done in bulk while others wait for a page: one after the other, and after each a rest; or a rest only while people
 * are served, where that is known.
 */
export function createGivingWay(isBusy = () => true): InTurn {
  const inTurn = createTurns({ atOnce: 1 });
  return (work) =>
    new Promise((resolve, reject) => {
      void inTurn(async () => {
        const began = performance.now();
        await work().then(resolve, reject);
        if (isBusy()) await restAfter(began, shortestTurnRestMs);
      });
    });
}
