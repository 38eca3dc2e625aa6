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
  { timeoutMs = 30_000, everyMs = 20 }: Patience = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
