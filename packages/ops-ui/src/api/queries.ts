import { QueryCache, QueryClient } from '@tanstack/react-query';
import { askLater } from '../live/ask-later.ts';
import { tellProblem } from '../parts/told.tsx';
import { asProblem } from './problem.ts';

const mostTries = 3;

/** Who is offline is told so at once: what waits in silence looks done, and is done when nobody expects it. */
const networkMode = 'always';

/** What is shown is kept current by the live stream, so nothing is fetched again for its age alone. */
export const queries: QueryClient = new QueryClient({
  // What is shown stays, and what could not be fetched anew is said; a page with nothing to show says so itself.
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (query.state.data === undefined) return;
      tellProblem(error);
      const { status } = asProblem(error);
      // Who is offline has all of it fetched again with the connection.
      if (navigator.onLine && (mayHeal(status) || status >= 500)) askLater(queries, query);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      networkMode,
      retry: (tries, error) => navigator.onLine && mayHeal(asProblem(error).status) && tries < mostTries,
    },
    mutations: { networkMode },
  },
});

/** A refusal stays one; a service that is away comes back. */
const mayHeal = (status: number): boolean => status === 0 || status === 429 || status >= 502;
