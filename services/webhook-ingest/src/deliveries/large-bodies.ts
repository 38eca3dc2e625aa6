import { unavailable } from '@ops/service-kit/errors';

/** From here on a body counts as large: the most that any webhook but those of e-mail takes. */
export const largeBytes = 1024 * 1024;
const mostAtOnce = 3;
const retryAfterSeconds = 5;

/**
 * Large bodies stand in memory whole, and again as their parts: a few at once, and the provider comes back with the rest.
 * Each provider has its own places, so that nobody who knocks at one door blocks another.
 */
export function createPlaces(most = mostAtOnce) {
  let taken = 0;
  return async <T>(bytes: number, work: () => Promise<T>): Promise<T> => {
    if (bytes <= largeBytes) return work();
    if (taken >= most) throw unavailable('Too many large messages at once', retryAfterSeconds);
    taken++;
    try {
      return await work();
    } finally {
      taken--;
    }
  };
}
