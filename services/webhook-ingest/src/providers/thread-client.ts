import { Worker } from 'node:worker_threads';

const mostThreads = 2;
const mostMilliseconds = 20_000;
const mostMegabytes = 512;

/** What a thread's script posts, once. */
export type FromThread<T> = { value: T } | { problem: string };

/**
 * What may be made to stop us is read by a thread of its own, which may run out of memory and of time: then this rejects. A
 * few at once; the others wait for theirs.
 */
export const inThread = <T>(script: URL, given: unknown): Promise<T> => inTurn(() => run<T>(script, given));

function run<T>(script: URL, workerData: unknown): Promise<T> {
  const resourceLimits = { maxOldGenerationSizeMb: mostMegabytes, maxYoungGenerationSizeMb: 64 };
  const worker = new Worker(script, { workerData, resourceLimits });
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error('Reading it takes too long')), mostMilliseconds);
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

const inTurn = createTurns(mostThreads);

function createTurns(most: number) {
  let free = most;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
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
