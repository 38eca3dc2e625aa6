import { Worker } from 'node:worker_threads';

export interface ThreadLimits {
  atOnce: number;
  /** How many may wait for their turn; left out: any number, where what comes in is limited elsewhere. */
  waiting?: number;
  milliseconds: number;
  megabytes: number;
}

/** What a thread's script posts, once. */
export type FromThread<T> = { value: T } | { problem: string };

/** Runs a script on what it is given, and rejects when that takes too much. */
export type InThread = <T>(script: URL, given: unknown) => Promise<T>;

/** Nothing was tried, since as many as may wait for it do. */
export class ThreadsBusyError extends Error {
  override name = 'ThreadsBusyError';
}

/**
 * What may be made to stop us is read by a thread of its own, which may run out of memory and of time: then this rejects. A
 * few at once; the others wait for theirs.
 */
export function createThreads(limits: ThreadLimits): InThread {
  const inTurn = createTurns(limits);
  return (script, given) => inTurn(() => run(script, given, limits));
}

function run<T>(script: URL, workerData: unknown, { milliseconds, megabytes }: ThreadLimits): Promise<T> {
  const resourceLimits = { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: 64 };
  const worker = new Worker(script, { workerData, resourceLimits });
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error('Reading it takes too long')), milliseconds);
  worker.once('message', (told: FromThread<T>) =>
    'value' in told ? resolve(told.value) : reject(new Error(told.problem)),
  );
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error('Reading it ended early')));
  return promise.finally(async () => {
    clearTimeout(timer);
    await worker.terminate();
  });
}

function createTurns({ atOnce, waiting: most = Number.POSITIVE_INFINITY }: ThreadLimits) {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else if (waiting.length >= most) throw new ThreadsBusyError('As many as may wait for a thread do');
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
