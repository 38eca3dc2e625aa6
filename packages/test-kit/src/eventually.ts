export interface Patience {
  timeoutMs?: number;
  everyMs?: number;
}

/**
 * Waits until `check` stops throwing and gives its result; the last error once time is up.
 * For what another process does in its own time; a test that can wait for a signal waits for that instead.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 180_000, everyMs }: Patience = {},
): Promise<T> {
  const begun = Date.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() >= begun + timeoutMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs ?? nextLook(Date.now() - begun)));
  }
}

/** A look costs a busy system something: what was waited for long is looked for less often, and found a fifth later at most. */
const nextLook = (waitedMs: number): number => Math.min(Math.max(waitedMs / 5, 20), 500);
