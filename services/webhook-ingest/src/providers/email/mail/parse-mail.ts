import { Worker } from 'node:worker_threads';
import type { Mail } from './mail.ts';
import { parseMime } from './parse-mime.ts';
import type { Parsed } from './parse-worker.ts';

/** Up to here the worst that can be written takes a moment. */
const smallBytes = 128 * 1024;
const smallLines = 10_000;

const mostWorkers = 2;
const mostMilliseconds = 20_000;
const mostMegabytes = 512;

/**
 * Reads a mail, or rejects one that is made to stop us: twenty million blank lines fill any memory, a hundred thousand
 * parts take many seconds. What could do so is read by a thread of its own, which may run out of memory and of time.
 */
export const parseMail = (bytes: Uint8Array): Promise<Mail> =>
  isSmall(bytes) ? parseMime(bytes) : inTurn(() => parseApart(bytes));

function isSmall(bytes: Uint8Array): boolean {
  if (bytes.length > smallBytes) return false;
  let lines = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, end + 1)) lines++;
  return lines <= smallLines;
}

function parseApart(bytes: Uint8Array): Promise<Mail> {
  const resourceLimits = { maxOldGenerationSizeMb: mostMegabytes, maxYoungGenerationSizeMb: 64 };
  const worker = new Worker(new URL('./parse-worker.ts', import.meta.url), { workerData: bytes, resourceLimits });
  const { promise, resolve, reject } = Promise.withResolvers<Mail>();
  const timer = setTimeout(() => reject(new Error('Reading the mail takes too long')), mostMilliseconds);
  worker.once('message', (parsed: Parsed) =>
    'mail' in parsed ? resolve(parsed.mail) : reject(new Error(parsed.problem)),
  );
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error('Reading the mail ended early')));
  return promise.finally(async () => {
    clearTimeout(timer);
    await worker.terminate();
  });
}

const inTurn = createTurns(mostWorkers);

/** A few at once; the others wait for theirs. */
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
