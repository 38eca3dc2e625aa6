import { createGathering } from './gathering.ts';

export interface TogetherLimits {
  /** In one batch. */
  most: number;
  /** Batches at work. Left out: nothing waits for another batch. */
  atOnce?: number;
}

/** Answers for each, in the order given, so that what fails one costs the others nothing; where it rejects, all fail. */
export type Together<In, Out> = (all: readonly In[]) => Promise<readonly PromiseSettledResult<Out>[]>;

/** Gathers what is asked for one by one at the same moment: one statement or call for many, and each has its own answer. */
export function answerTogether<In, Out>(work: Together<In, Out>, { most, atOnce = Infinity }: TogetherLimits) {
  const gather = createGathering({ atOnce, mayJoin: (batch) => batch.length < most, work });
  return async (given: In): Promise<Out> => {
    const answer = await gather(given);
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  };
}
