import { setTimeout as delay } from 'node:timers/promises';

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
