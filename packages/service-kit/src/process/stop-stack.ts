import type { Logger } from '../observing/logger.ts';

export interface StopStack {
  /** Remembers how to end a part that was just started. */
  push(part: string, stop: () => Promise<unknown>): void;
  /** Ends the parts, the last one first. One that fails is logged and holds none of the others up. */
  stop(): Promise<void>;
}

export function createStopStack(logger: Logger): StopStack {
  const parts: { part: string; stop: () => Promise<unknown> }[] = [];
  return {
    push: (part, stop) => {
      parts.push({ part, stop });
    },
    stop: async () => {
      for (const { part, stop } of parts.splice(0).reverse())
        await stop().catch((error: unknown) => logger.warn({ err: error, part }, 'a part did not stop cleanly'));
    },
  };
}
