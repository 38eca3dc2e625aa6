import type { Logger } from '../observing/logger.ts';

/** Work of the process's own accord. */
export interface Job {
  /** Begins nothing more; resolves when what is in work is done. */
  stop(): Promise<void>;
}

/**
 * Runs `work` again and again, with `atOnce` now as well; a turn that is still at work is not joined by another, nor
 * followed by those that passed meanwhile. A failure is logged and the next turn tries again. `goesOn` says until when a
 * long turn may begin more.
 */
export function every(
  ms: number,
  work: (goesOn: () => boolean) => Promise<unknown>,
  logger: Logger,
  { atOnce = false } = {},
): Job {
  let running: Promise<void> | undefined;
  let isStopped = false;
  const tick = async () => {
    try {
      await work(() => !isStopped);
    } catch (error) {
      logger.warn({ err: error }, 'a background run failed and will be tried again');
    }
  };
  const turn = () => {
    running ??= tick().finally(() => {
      running = undefined;
    });
  };
  const timer = setInterval(turn, ms);
  if (atOnce) turn();
  return {
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
