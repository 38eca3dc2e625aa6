import { setTimeout as delay } from 'node:timers/promises';
import { BrokerAwayError } from './errors.ts';

/** Waits, or returns early when the signal fires. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);

/** 100 ms, doubled with each failure up to 5 s: what was away is worked with again within seconds of its return. */
export const backoffMs = (failures: number): number => Math.min(5_000, 100 * 2 ** Math.min(failures, 10));

/** Tries once, and again with growing waits until it succeeds (true) or the signal fires (false). */
export async function untilDone(
  work: () => Promise<void>,
  closing: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<boolean> {
  for (let failures = 0; ; failures += 1) {
    try {
      await work();
      return true;
    } catch (error) {
      onFailure(error);
    }
    await pause(backoffMs(failures), closing);
    if (closing.aborted) return false;
  }
}

/** Waits for what ought to end, but no longer than this: a close must not hang on a partner that no longer answers. */
export async function atMost(ms: number, ending: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  await Promise.race([ending, pause(ms, over.signal)]).finally(() => over.abort());
}

/** How long a broker may take with one question. A connection that lives and a question it never answers are two things. */
export const patienceMs = 30_000;

/** What came of it, or a BrokerAwayError when that takes longer; whatever comes after all is let go. */
export async function within<T>(ms: number, work: Promise<T>, letGo?: (late: T) => unknown): Promise<T> {
  const over = new AbortController();
  const tooLong = delay(ms, undefined, { signal: over.signal }).then(() => {
    work.then(letGo).catch(() => undefined);
    throw new BrokerAwayError(`no answer within ${ms / 1_000} s`);
  });
  return Promise.race([work, tooLong]).finally(() => over.abort());
}
