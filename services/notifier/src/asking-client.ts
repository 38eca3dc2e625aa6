import { answerTogether } from '@ops/service-kit/answering-together';
import { InternalCallError } from '@ops/service-kit/internal-client';

const mostAtOnce = 100;

interface Questions<In, Out> {
  one(given: In): Promise<Out>;
  /** In the order given; null: what was asked of is not there, or whoever asks would have to wait. */
  several(given: readonly In[]): Promise<readonly (Out | null)[]>;
}

/**
 * Asked one by one, what is asked at the same moment goes over in one call; what that did not answer is asked alone, and nothing
 * waits for it. The version before of whom we ask knows no such call.
 */
export function askTogether<In, Out>({ one, several }: Questions<In, Out>): (given: In) => Promise<Out> {
  const together = answerTogether<In, Out | null>(
    async (all) => {
      const answers = all.length > 1 ? await several(all).catch(noneOfUnknownCall) : [];
      return all.map((_, n) => ({ status: 'fulfilled', value: answers[n] ?? null }));
    },
    { most: mostAtOnce },
  );
  return async (given) => (await together(given)) ?? one(given);
}

function noneOfUnknownCall(error: unknown): never[] {
  if (error instanceof InternalCallError && (error.status === 404 || error.status === 405)) return [];
  throw error;
}
