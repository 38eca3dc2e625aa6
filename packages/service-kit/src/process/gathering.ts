/** Resolves when it is done for this one, and rejects when it could not be. */
export type Gathering<T> = (one: T) => Promise<void>;

interface GatheringOptions<T> {
  /** All of the batch or nothing of it. Safe to do again: whether a commit that nobody confirmed came to pass is not known. */
  work(batch: readonly T[]): Promise<void>;
  /** Whether this one may go along; the first of a batch is not asked. */
  mayJoin(batch: readonly T[], one: T): boolean;
  /** Batches at work. */
  atOnce: number;
}

interface Waiting<T> {
  one: T;
  done(): void;
  failed(error: unknown): void;
  /** One of a batch that failed. */
  isAlone?: boolean;
}

const given = <T>({ one }: Waiting<T>): T => one;

/**
 * Many callers' work in one go. Nobody waits for company: what comes while others are at work goes together next. When a batch
 * fails, each of it is tried by itself next, so that one caller's failure is nobody else's, and no more are at work for it.
 */
export function createGathering<T>({ work, mayJoin, atOnce }: GatheringOptions<T>): Gathering<T> {
  let waiting: Waiting<T>[] = [];
  let atWork = 0;
  let called = false;

  function nextBatch(): Waiting<T>[] {
    const batch: Waiting<T>[] = [];
    const left: Waiting<T>[] = [];
    for (const next of waiting) {
      const [first] = batch;
      const joins = !first || (!first.isAlone && !next.isAlone && mayJoin(batch.map(given), next.one));
      (joins ? batch : left).push(next);
    }
    waiting = left;
    return batch;
  }

  async function settle(batch: readonly Waiting<T>[]): Promise<void> {
    try {
      await work(batch.map(given));
      for (const { done } of batch) done();
    } catch (error) {
      const [only, ...others] = batch;
      if (only && others.length === 0) only.failed(error);
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
    new Promise<void>((done, failed) => {
      waiting.push({ one, done, failed });
      if (called) return;
      called = true;
      // What else was read in this turn goes along.
      setImmediate(begin);
    });
}
