import { AsyncLocalStorage } from 'node:async_hooks';

/** Resolves with what came of this one when it is done, and rejects when it could not be. */
export type Gathering<In, Out> = (one: In) => Promise<Out>;

interface GatheringOptions<In, Out> {
  /**
   * All of the batch or nothing of it, and what came of each, in their order. In the name of its first: its trace, and its span. Safe
   * to do again: whether a commit that nobody confirmed came to pass is not known.
   */
  work(batch: readonly In[]): Promise<readonly Out[]>;
  /** Whether this one may go along; the first of a batch is not asked. */
  mayJoin(batch: readonly In[], one: In): boolean;
  /** Batches at work. */
  atOnce: number;
}

interface Waiting<In, Out> {
  one: In;
  done(outcome: Out): void;
  failed(error: unknown): void;
  inItsName: ReturnType<typeof AsyncLocalStorage.snapshot>;
  /** One of a batch that failed. */
  isAlone?: boolean;
}

const given = <In>({ one }: { one: In }): In => one;

/**
 * Many callers' work in one go. Nobody waits for company: what comes while others are at work goes together next. When a batch
 * fails, each of it is tried by itself next, so that one caller's failure is nobody else's, and no more are at work for it.
 */
export function createGathering<In, Out>({ work, mayJoin, atOnce }: GatheringOptions<In, Out>): Gathering<In, Out> {
  let waiting: Waiting<In, Out>[] = [];
  let atWork = 0;
  let called = false;

  function nextBatch(): Waiting<In, Out>[] {
    const batch: Waiting<In, Out>[] = [];
    const left: Waiting<In, Out>[] = [];
    for (const next of waiting) {
      const [first] = batch;
      const joins = !first || (!first.isAlone && !next.isAlone && mayJoin(batch.map(given), next.one));
      (joins ? batch : left).push(next);
    }
    waiting = left;
    return batch;
  }

  async function settle(batch: readonly Waiting<In, Out>[]): Promise<void> {
    const [first, ...others] = batch;
    if (!first) return;
    try {
      const outcomes = await first.inItsName(() => work(batch.map(given)));
      for (const [n, { done }] of batch.entries()) done(outcomes[n] as Out);
    } catch (error) {
      if (others.length === 0) first.failed(error);
      else waiting.unshift(...batch.map((one) => ({ ...one, isAlone: true })));
    }
  }

  function begin(): void {
    called = false;
    while (atWork < atOnce && waiting.length > 0) {
      atWork += 1;
      void settle(nextBatch()).finally(() => {
        atWork -= 1;
        begin();
      });
    }
  }

  return (one) =>
    new Promise<Out>((done, failed) => {
      waiting.push({ one, done, failed, inItsName: AsyncLocalStorage.snapshot() });
      if (called) return;
      called = true;
      // What else was read in this turn goes along.
      setImmediate(begin);
    });
}
