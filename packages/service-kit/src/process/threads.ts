import { Worker } from 'node:worker_threads';
import { createTurns, type TurnLimits } from './turns.ts';

export interface ThreadLimits extends TurnLimits {
  milliseconds: number;
  megabytes: number;
}

/** What a thread's script posts, once. */
export type FromThread<T> = { value: T } | { problem: string };

/** Runs a script on what it is given, and rejects when that takes too much. */
export type InThread = <T>(script: URL, given: unknown) => Promise<T>;

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
