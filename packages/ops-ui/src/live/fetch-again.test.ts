import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { InfiniteQueryObserver, infiniteQueryOptions, QueryClient } from '@tanstack/react-query';
import { fetchAgain, fetchAllAgain } from './fetch-again.ts';

const queryKey = ['list'];

interface Answer {
  data: { id: string }[];
  next_cursor: string | null;
}

// All of a long list is fetched again some seconds later: not within this test.
beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());

/** A list of one item a page, with answers that come when they are let. */
function listOf() {
  let items = ['0', '1', '2', '3', '4', '5', '6'];
  let held: (() => void)[] | undefined;
  const answer = async (from: number): Promise<Answer> => {
    const data = items.slice(from, from + 1).map((id) => ({ id }));
    await new Promise<void>((resolve) => (held ? void held.push(resolve) : resolve()));
    return { data, next_cursor: from + 1 < items.length ? String(from + 1) : null };
  };
  const queries = new QueryClient();
  const options = infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => answer(Number(pageParam ?? 0)),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }: Answer) => next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const list = new InfiniteQueryObserver(queries, options);
  return {
    queries,
    options,
    list,
    add: (id: string) => {
      items = [id, ...items];
    },
    hold: () => {
      held = [];
    },
    /** Those that wait, each in its turn. */
    letGo: (...turns: number[]) => {
      const all = held ?? [];
      held = undefined;
      for (const turn of turns) all[turn]?.();
    },
    ids: () => list.getCurrentResult().data?.pages.flatMap(({ data }) => data.map(({ id }) => id)),
  };
}

/** Of which five pages were fetched. */
async function longList() {
  const made = listOf();
  const stop = made.list.subscribe(() => undefined);
  await made.list.refetch();
  for (let n = 0; n < 4; n++) await made.list.fetchNextPage();
  return { ...made, stop };
}

test('what is new is not lost when somebody goes further in a long list meanwhile', async () => {
  const { queries, list, stop, add, hold, letGo, ids } = await longList();
  hold();
  const further = list.fetchNextPage();
  add('new');
  const again = fetchAgain(queries, queryKey, new Set(['new']));
  letGo(1, 0);
  await Promise.all([further, again]);
  expect(ids()).toContain('new');
  stop();
  queries.clear();
});

test('what comes while a list is fetched for the first time is in it, although that answer is from before', async () => {
  const { queries, list, add, hold, letGo, ids } = listOf();
  hold();
  const stop = list.subscribe(() => undefined);
  add('new');
  const again = [fetchAgain(queries, queryKey, new Set(['new'])), fetchAllAgain(queries)];
  letGo(0);
  await Promise.all(again);
  expect(ids()).toEqual(['new']);
  stop();
  queries.clear();
});

test('what comes while nobody looks at a list that is being fetched is there for who looks next', async () => {
  const { queries, options, list, add, hold, letGo, ids } = listOf();
  hold();
  const ahead = queries.prefetchInfiniteQuery(options);
  add('new');
  const again = fetchAgain(queries, queryKey, new Set(['new']));
  letGo(0);
  await Promise.all([ahead, again]);
  const stop = list.subscribe(() => undefined);
  await list.getCurrentQuery().promise;
  expect(ids()).toEqual(['new']);
  stop();
  queries.clear();
});
