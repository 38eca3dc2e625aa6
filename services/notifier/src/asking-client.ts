import { answerTogether } from '@ops/service-kit/answering-together';
import { InternalCallError } from '@ops/service-kit/internal-client';

const mostAtOnce = 100;

interface Questions<In, Out> {
  one(given: In): Promise<Out>;
  /** In the order given; null: what was asked of is not there, or it cannot be said now. */
  several(given: readonly In[]): Promise<readonly (Out | null)[]>;
}

/**
 * Asked one by one, what is asked at the same moment goes over in one call. Where that is refused each is asked alone: the version
 * before of whom we ask knows no such call, and one that cannot be answered costs the others nothing.
 */
export const askTogether = <In, Out>({ one, several }: Questions<In, Out>): ((given: In) => Promise<Out>) =>
  answerTogether(
    async (all) => {
      const answers = all.length > 1 ? await several(all).catch(unlessAway) : undefined;
      return answers ? answers.map(answered) : Promise.allSettled(all.map(one));
    },
    { most: mostAtOnce },
  );

function unlessAway(error: unknown): undefined {
  if (error instanceof InternalCallError && !error.away) return undefined;
  throw error;
}

const answered = <Out>(answer: Out | null): PromiseSettledResult<Out> =>
  answer === null
    ? {
        status: 'rejected',
        reason: new InternalCallError('what was asked of is not there, or it cannot be said now', 409),
      }
    : { status: 'fulfilled', value: answer };
