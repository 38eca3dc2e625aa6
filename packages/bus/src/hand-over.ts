import { reasonOf } from './errors.ts';
import type { BusLogger } from './logger.ts';
import { untilDone } from './pause.ts';
import type { Deliver, IncomingMessage, Outcome } from './port.ts';

/**
 * A message that came back this often is suspected of killing its consumer. Suspects are handed over one at a time,
 * from the front of those that came together, the next time from the back: so those on either side of the culprit are
 * through before it, and it alone is given up on.
 */
export const suspectAfter = 2;

export const fromTheBack = (timesReturned: number): boolean => timesReturned % 2 === 1;

export interface HandOverOptions {
  deliver: Deliver;
  queue: string;
  closing: AbortSignal;
  logger: BusLogger;
}

/** Hands messages over until the wrapper took them; undefined when closing came first: then nothing is settled. */
export async function handOver(messages: IncomingMessage[], options: HandOverOptions): Promise<Outcome[] | undefined> {
  const { deliver, queue, closing, logger } = options;
  let outcomes: Outcome[] | undefined;
  await untilDone(
    async () => {
      outcomes = await deliver(messages);
    },
    closing,
    (error) => logger.warn({ queue, reason: reasonOf(error) }, 'messages could not be tried; they wait in hand'),
  );
  return outcomes;
}

export interface Comeback {
  attempt: number;
  waits: number | undefined;
  afterMs: number;
}

/** When and with which counts a message comes again; undefined for one that is done. */
export function comebackOf({ attempt, waits }: IncomingMessage, outcome: Outcome | undefined): Comeback | undefined {
  if (outcome === undefined || 'done' in outcome) return undefined;
  const { retryAfterMs: afterMs, uncounted } = outcome;
  return uncounted ? { attempt, waits: (waits ?? 0) + 1, afterMs } : { attempt: attempt + 1, waits, afterMs };
}

/** Why a message is given up on whose consumers said nothing of it. */
export const returnedTooOften = 'returned to its queue too often: its consumers died or lost their connection';

/** Reads a delivery that is JSON, or keeps its text: the wrapper decides what it is worth. */
export function readContent(content: Buffer): unknown {
  const text = content.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
