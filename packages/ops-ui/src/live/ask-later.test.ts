import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { QueryCache, QueryClient, QueryObserver } from '@tanstack/react-query';
import { askLater } from './ask-later.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('what could not be fetched anew is asked for again each half minute until it is answered, and then no more', async () => {
  let isAway = false;
  let asked = 0;
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (_error, query) => askLater(queries, query) }),
    defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
  });
  const queryKey = ['shown'];
  const queryFn = async () => {
    asked += 1;
    if (isAway) throw new Error('away');
    return asked;
  };
  const stop = new QueryObserver(queries, { queryKey, queryFn }).subscribe(() => undefined);
  await jest.advanceTimersByTimeAsync(1);
  isAway = true;
  // Two changes, and each of their answers failed.
  for (const _change of [1, 2]) await queries.invalidateQueries({ queryKey });
  expect(asked).toBe(3);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(5);
  isAway = false;
  await jest.advanceTimersByTimeAsync(300_000);
  expect(asked).toBe(6);
  expect(queries.getQueryData(queryKey)).toBe(6);
  stop();
  queries.clear();
});
