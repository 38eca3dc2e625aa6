import { AsyncLocalStorage } from 'node:async_hooks';

/** Resolves with what came of this one when it is done, and rejects when it could not be. */
export type Gathering<In, Out> = (one: In) => Promise<Out>;

interface GatheringOptions<In, Out> {
  /** What came of each, in their order; where it rejects, all are told so. In the name of its first: its trace, and its span. */
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
}

/** Many callers' work in one go. Nobody waits for company: what comes while others are at work goes together next. */
export function createGathering<In, Out>({ work, mayJoin, atOnce }: GatheringOptions<In, Out>): Gathering<In, Out> {
  let waiting: Waiting<In, Out>[] = [];
  let atWork = 0;
  let called = false;

  function nextBatch(): Waiting<In, Out>[] {
    const batch: Waiting<In, Out>[] = [];
    const given: In[] = [];
    const left: Waiting<In, Out>[] = [];
    for (const next of waiting) {
      const joins = batch.length === 0 || mayJoin(given, next.one);
      if (joins) given.push(next.one);
      (joins ? batch : left).push(next);
    }
    waiting = left;
    return batch;
  }

  async function settle(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const outcomes = await batch[0]?.inItsName(() => work(batch.map(({ one }) => one)));
      if (outcomes?.length !== batch.length) throw new Error(`${outcomes?.length} of ${batch.length} were answered`);
      for (const [n, { done }] of batch.entries()) done(outcomes[n] as Out);
    } catch (error) {
      for (const { failed } of batch) failed(error);
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

interface OrAlone<In, Out extends object> extends Omit<GatheringOptions<In, Out>, 'work'> {
  /** All of the batch and what came of each; undefined where nothing was done of any. What it rejects with, all are told. */
  together(batch: readonly In[]): Promise<readonly Out[] | undefined>;
  alone(one: In): Promise<Out>;
}

/** What could not be done with others is done alone, so that one caller's failure is nobody else's; nor does it keep a batch's place then. */
export function togetherOrAlone<In, Out extends object>({
  together,
  alone,
  ...options
}: OrAlone<In, Out>): Gathering<In, Out> {
  const gather = createGathering<In, Out | undefined>({
    ...options,
    work: async (batch) => (await together(batch)) ?? batch.map(() => undefined),
  });
  return async (one) => (await gather(one)) ?? alone(one);
}
