import { AsyncLocalStorage } from 'node:async_hooks';
import { createGathering } from './gathering.ts';

export interface TogetherLimits {
  /** In one batch. */
  most: number;
  /** Batches at work. Left out: nothing waits for another batch. */
  atOnce?: number;
}

/** Answers for each, in the order given, so that what fails one costs the others nothing; where it rejects, all fail. */
export type Together<In, Out> = (all: readonly In[]) => Promise<readonly PromiseSettledResult<Out>[]>;

interface Asked<In, Out> extends PromiseWithResolvers<Out> {
  given: In;
  /** The batch is worked off in the name of its first: its trace, and its span. */
  inItsName: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/** Gathers what is asked for one by one at the same moment: one statement or call for many, and each has its own answer. */
export function answerTogether<In, Out>(work: Together<In, Out>, { most, atOnce = Infinity }: TogetherLimits) {
  const gather = createGathering<Asked<In, Out>>({
    atOnce,
    mayJoin: (batch) => batch.length < most,
    async work(batch) {
      try {
        const answers = await batch[0]?.inItsName(() => work(batch.map(({ given }) => given)));
        for (const [n, one] of batch.entries()) settle(one, answers?.[n]);
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    },
  });
  return (given: In): Promise<Out> => {
    const asked = Promise.withResolvers<Out>();
    void gather({ ...asked, given, inItsName: AsyncLocalStorage.snapshot() });
    return asked.promise;
  };
}

function settle<Out>(one: PromiseWithResolvers<Out>, answer: PromiseSettledResult<Out> | undefined): void {
  if (answer?.status === 'fulfilled') one.resolve(answer.value);
  else one.reject(answer ? answer.reason : new Error('what was asked for together with others was not answered'));
}
