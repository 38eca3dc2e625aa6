import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { withinTime } from '../within-time.ts';
import { createTurns, type InTurn } from './turns.ts';

/** About three quarters of the machine and of its database are left to whoever waits for a page meanwhile. */
const restsPerWork = 3;
/** So that a process that stops is not held up by many of them. */
const longestRestMs = 500;
/** In a queue more of the same comes together meanwhile: one message costs nearly what ten of them cost at once. */
const shortestTurnRestMs = 100;

const smallBatch = 50;

/** How much is done at once: what holds the machine for a moment is felt by whoever waits meanwhile. */
export const batchWhile = (areThere: boolean, most: number): number => (areThere ? Math.min(smallBatch, most) : most);

/** Three times as long as what began then has taken, up to half a second. */
const restMsAfter = (began: number, shortestMs = 0): number =>
  Math.max(shortestMs, Math.min(restsPerWork * (performance.now() - began), longestRestMs));

export const restAfter = (began: number, isBusy: () => boolean): Promise<void> =>
  restUntilRoom(restMsAfter(began), isBusy);

/**
 * After what makes work for other processes too: a rest, and up to a second more while people are there and the machine
 * has no room for what the next will make.
 */
export async function restUntilRoom(ms: number, isBusy: () => boolean): Promise<void> {
  const idleShare = watchProcessors();
  await pause(ms);
  await untilThereIsRoom(() => (isBusy() ? idleShare() : 1));
}

/** Of their time, while people are served. What staff ask of two processors in their busiest hour leaves more than that. */
const roomOfAll = 0.4;
const lookEveryMs = 100;
const mostLooks = 10;

export async function untilThereIsRoom(idleShare: () => number, everyMs = lookEveryMs): Promise<void> {
  for (let looks = 0; looks < mostLooks && idleShare() < roomOfAll; looks++) await pause(everyMs);
}

/** The share of their time in which the processors had nothing to do since it was asked last. All of it where nobody can say. */
function watchProcessors(): () => number {
  let before = processorTime();
  return () => {
    const now = processorTime();
    const [idle, all] = [now.idle - before.idle, now.all - before.all];
    before = now;
    return all > 0 ? idle / all : 1;
  };
}

function processorTime() {
  const times = cpus().map((one) => one.times);
  const idle = times.reduce((sum, one) => sum + one.idle, 0);
  const busy = times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0);
  return { idle, all: idle + busy };
}

/** Who waits that long for another service holds up nobody else. */
const longestTurnMs = 1_000;

/**
 * For what is done in bulk while others wait for a page: one after the other, and after each a rest while people are served. What
 * begins work for others (`begins`) waits for room on the machine as well; what only follows would be as much later. Of what comes
 * one by one however long the rest is (`alone`), as the portions of a file, a small one does not take longer for it.
 */
export function createGivingWay(isBusy: () => boolean, { begins = false, alone = false } = {}): InTurn {
  const shortestMs = alone ? 0 : shortestTurnRestMs;
  const inTurn = createTurns({ atOnce: 1 });
  return (work) =>
    new Promise((resolve, reject) => {
      void inTurn(async () => {
        const began = performance.now();
        await withinTime(work().then(resolve, reject), longestTurnMs).catch(() => undefined);
        if (!isBusy()) return;
        const ms = restMsAfter(began, shortestMs);
        await (begins ? restUntilRoom(ms, isBusy) : pause(ms));
      });
    });
}
