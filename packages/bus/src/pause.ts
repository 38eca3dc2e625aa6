import { setTimeout as delay } from 'node:timers/promises';

/** Waits, or returns early when the signal fires. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);

/** 100 ms, doubled with each failure up to 5 s: what was away is worked with again within seconds of its return. */
export const backoffMs = (failures: number): number => Math.min(5_000, 100 * 2 ** Math.min(failures, 10));

/** Does it again, with growing waits, until it succeeds (true) or the signal fires (false). */
export async function untilDone(
  work: () => Promise<void>,
  closing: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<boolean> {
  for (let failures = 0; !closing.aborted; failures += 1) {
    try {
      await work();
      return true;
    } catch (error) {
      onFailure(error);
      await pause(backoffMs(failures), closing);
    }
  }
  return false;
}
