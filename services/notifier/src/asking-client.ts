import { answerTogether } from '@ops/service-kit/answering-together';
import { InternalCallError } from '@ops/service-kit/internal-client';

const mostAtOnce = 100;

interface Questions<In, Out> {
  one(given: In): Promise<Out>;
  /** In the order given; null: what was asked of is not there, or it cannot be said now. */
  several(given: readonly In[]): Promise<readonly (Out | null)[]>;
}

/**
 * Asked one by one, what is asked at the same moment goes over in one call. The version before of whom we ask knows no such call,
 * and is asked one by one.
 */
export const askTogether = <In, Out>({ one, several }: Questions<In, Out>): ((given: In) => Promise<Out>) =>
  answerTogether(
    async (all) => {
      const answers = all.length > 1 ? await several(all).catch(unlessUnknownCall) : undefined;
      return answers ? answers.map(answered) : Promise.allSettled(all.map(one));
    },
    { most: mostAtOnce },
  );

function unlessUnknownCall(error: unknown): undefined {
  if (error instanceof InternalCallError && (error.status === 404 || error.status === 405)) return undefined;
  throw error;
}

const answered = <Out>(answer: Out | null): PromiseSettledResult<Out> =>
  answer === null
    ? {
        status: 'rejected',
        reason: new InternalCallError('what was asked of is not there, or cannot be said now', 404),
      }
    : { status: 'fulfilled', value: answer };
