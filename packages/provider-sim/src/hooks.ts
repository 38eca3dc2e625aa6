import type { Logger } from '@ops/service-kit/logger';
import type { Hook } from './message.ts';

export interface Delivery {
  /** 2xx: the firm has it. */
  status: number;
}

/** Delivers webhooks as providers do: at least once, the same bytes again until they are taken. */
export interface Hooks {
  /** Resolves once the firm has it, or the hook is given up. */
  deliver(hook: Hook): Promise<void>;
  /** Those still on their way. */
  waiting(): number;
  /** What was not delivered by then stays in the journal, for the next life. */
  stop(): void;
}

interface HooksOptions {
  post(hook: Hook): Promise<Delivery>;
  done(hook: Hook, taken: boolean): void;
  pause(ms: number): Promise<void>;
  logger: Logger;
  mostAtOnce?: number;
  mostTries?: number;
}

export function createHooks(options: HooksOptions): Hooks {
  const { post, done, pause, logger, mostAtOnce = 16, mostTries = 200 } = options;
  const lanes = new Map<string, Promise<void>>();
  const limited = limit(mostAtOnce);
  let waiting = 0;
  let stopped = false;

  const attempt = async (hook: Hook, tries: number): Promise<'taken' | 'given up' | 'again'> => {
    const status = await limited(() => post(hook)).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status >= 200 && status < 300) return 'taken';
    if (tries === 1 || tries === mostTries)
      logger.warn({ url: hook.url, status, tries }, tries === 1 ? 'a webhook was not taken' : 'a webhook is given up');
    return tries >= mostTries ? 'given up' : 'again';
  };
  const untilTaken = async (hook: Hook) => {
    for (let tries = 1; !stopped; tries += 1) {
      // Taken while everything stops: nobody may write any more, and it is delivered once more in the next life.
      const outcome = await attempt(hook, tries);
      if (outcome !== 'again') return stopped ? undefined : done(hook, outcome === 'taken');
      await pause(Math.min(100 * 2 ** tries, 5000));
    }
  };
  const inLane = (hook: Hook): Promise<void> => {
    const lane = (lanes.get(hook.key) ?? Promise.resolve()).then(() => untilTaken(hook));
    lanes.set(hook.key, lane);
    return lane.finally(() => {
      waiting -= 1;
      if (lanes.get(hook.key) === lane) lanes.delete(hook.key);
    });
  };
  return {
    deliver: (hook) => {
      waiting += 1;
      return inLane(hook);
    },
    waiting: () => waiting,
    stop: () => {
      stopped = true;
    },
  };
}

/** At most so many at once; the others in the order they came, each taking over the place of one that ended. */
function limit(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let free = most;
  const leave = () => {
    const next = queue.shift();
    if (next) next();
    else free += 1;
  };
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    return work().finally(leave);
  };
}
