import { hashKey, type InfiniteData, type Query, type QueryClient, type QueryKey } from '@tanstack/react-query';
import { type Pages, pagesToAsk, withFresh } from './pages-again.ts';

/** Of so many pages all are asked for again at every change; of more, those alone that a change concerns. */
const fewPages = 3;
const msAPage = 1_000;

const allLater = new Map<string, ReturnType<typeof setTimeout>>();

/** What is shown of these is fetched again, and what is not when it is shown. `changed`: the ids of what it is about. */
export async function fetchAgain(
  queries: QueryClient,
  queryKey: QueryKey,
  changed: ReadonlySet<string>,
): Promise<unknown> {
  return Promise.all(
    queries
      .getQueryCache()
      .findAll({ queryKey })
      .map((query) =>
        query.isActive() && isLong(query.state.data)
          ? fetchSome(queries, query, query.state.data, changed)
          : fetchAnew(queries, query),
      ),
  );
}

/** Whatever it is about. */
export const fetchAllAgain = (queries: QueryClient): Promise<unknown> =>
  Promise.all(
    queries
      .getQueryCache()
      .getAll()
      .map((query) => fetchAnew(queries, query)),
  );

const comesOnceMore = new WeakMap<Query, Promise<unknown>>();

/**
 * An answer that is on its way may be from before the change. TanStack Query breaks it off where an older one is shown; the first
 * one, and one that nobody waits for, it lets come and takes for current: those are asked for once more.
 */
function fetchAnew(queries: QueryClient, query: Query): Promise<unknown> {
  const again = () => queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
  const isLetCome = query.state.fetchStatus !== 'idle' && (query.state.data === undefined || !query.isActive());
  if (!isLetCome) return again();
  const known = comesOnceMore.get(query);
  if (known) return known;
  const onceMore = new Promise<void>((resolve) => whenIdle(queries, query, resolve)).then(() => {
    comesOnceMore.delete(query);
    return again();
  });
  comesOnceMore.set(query, onceMore);
  return onceMore;
}

type Loaded = InfiniteData<Pages['pages'][number], unknown>;

const isLong = (data: unknown): data is Loaded =>
  typeof data === 'object' && data !== null && 'pages' in data && (data as Loaded).pages.length > fewPages;

/**
 * A list that somebody went far through takes many requests to fetch, so what changed is fetched at once, and all of it so
 * many seconds later as it has pages: somewhere else in it may be something that is new there.
 */
async function fetchSome(queries: QueryClient, query: Query, data: Loaded, changed: ReadonlySet<string>) {
  const { queryKey } = query;
  const key = hashKey(queryKey);
  if (!allLater.has(key))
    allLater.set(
      key,
      setTimeout(() => {
        allLater.delete(key);
        void queries.invalidateQueries({ queryKey, exact: true });
      }, data.pages.length * msAPage),
    );
  const ask = query.options.queryFn as (turn: object) => Promise<Loaded['pages'][number]>;
  const { signal } = new AbortController();
  const again = pagesToAsk(data, changed);
  try {
    const answers = await Promise.all(
      again.map(
        async (n) => [n, await ask({ client: queries, queryKey, signal, pageParam: data.pageParams[n] })] as const,
      ),
    );
    const fresh = new Map(answers);
    // Somebody may be going further meanwhile: the page that comes would be put to those of before.
    whenIdle(queries, query, () =>
      queries.setQueryData<Loaded>(queryKey, (now) => now && (withFresh(now, fresh, changed) as Loaded)),
    );
  } catch {
    // All of it is fetched in a while, and says what is wrong if that lasts.
  }
}

function whenIdle(queries: QueryClient, query: Query, then: () => unknown): void {
  if (query.state.fetchStatus === 'idle') return void then();
  const stop = queries.getQueryCache().subscribe((event) => {
    if (event.query !== query || (query.state.fetchStatus !== 'idle' && event.type !== 'removed')) return;
    stop();
    then();
  });
}
