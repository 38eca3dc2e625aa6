import type { Logger } from '../observing/logger.ts';

/** Work of the process's own accord. */
export interface Job {
  /** Begins nothing more; resolves when what is in work is done. */
  stop(): Promise<void>;
}

/**
 * Runs `work` again and again; a turn that is still at work is not joined by another, nor followed by those that passed
 * meanwhile. A failure is logged and the next turn tries again.
 */
export function every(ms: number, work: () => Promise<unknown>, logger: Logger): Job {
  let running: Promise<void> | undefined;
  const tick = async () => {
    try {
      await work();
    } catch (error) {
      logger.warn({ err: error }, 'a background run failed and will be tried again');
    }
  };
  const timer = setInterval(() => {
    running ??= tick().finally(() => {
      running = undefined;
    });
  }, ms);
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
