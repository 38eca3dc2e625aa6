import { createGathering } from './gathering.ts';

export interface TogetherLimits {
  /** In one batch. */
  most: number;
  /** Batches at work. Left out: nothing waits for another batch. */
  atOnce?: number;
}

export interface TogetherOptions<In> extends TogetherLimits {
  /** Whether these may be one batch. Left out: all may. */
  mayShare?: (all: readonly In[]) => boolean;
}

/** Answers for each, in the order given, so that what fails one costs the others nothing; where it rejects, all fail. */
export type Together<In, Out> = (all: readonly In[]) => Promise<readonly PromiseSettledResult<Out>[]>;

/** Gathers what is asked for one by one at the same moment: one statement or call for many, and each has its own answer. */
export function answerTogether<In, Out>(
  work: Together<In, Out>,
  { most, atOnce = Infinity, mayShare = () => true }: TogetherOptions<In>,
) {
  const gather = createGathering<In, PromiseSettledResult<Out>>({
    atOnce,
    mayJoin: (batch, one) => batch.length < most && mayShare([...batch, one]),
    async work(batch) {
      try {
        const answers = await work(batch);
        return batch.map((_, n) => answers[n] ?? refused(new Error('what was asked for with others was not answered')));
      } catch (reason) {
        return batch.map(() => refused(reason));
      }
    },
  });
  return async (given: In): Promise<Out> => {
    const answer = await gather(given);
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  };
}

const refused = (reason: unknown): PromiseRejectedResult => ({ status: 'rejected', reason });
