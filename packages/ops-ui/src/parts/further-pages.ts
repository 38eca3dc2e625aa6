import { useEffect, useState } from 'react';

/** A list that comes page by page, as TanStack Query keeps it. */
export interface Paged {
  data: { pages: readonly unknown[] } | undefined;
  isFetching: boolean;
  hasNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage(options: { cancelRefetch: boolean }): unknown;
}

/**
 * Fetches one page after the other as long as they are wanted, each when nothing else of the list is being fetched: one
 * that broke off another would leave out what that one was to bring.
 */
export function useFurtherPages(query: Paged, areWanted: boolean): void {
  const { data, isFetching, hasNextPage, isFetchNextPageError, fetchNextPage } = query;
  useEffect(() => {
    if (areWanted && data && hasNextPage && !isFetching && !isFetchNextPageError)
      fetchNextPage({ cancelRefetch: false });
  }, [areWanted, data, isFetching, hasNextPage, isFetchNextPageError, fetchNextPage]);
}

type Search = 'going on' | 'found' | 'absent' | 'failed';

/** Goes on through a list until what one came for is in it, and then looks no more. */
export function useFetchUntil(query: Paged, isFound: boolean): Search {
  const [search, end] = useState<Search>('going on');
  const { data, isFetching, hasNextPage, isFetchNextPageError } = query;
  useFurtherPages(query, search === 'going on' && !isFound);
  useEffect(() => {
    if (search !== 'going on' || data === undefined || isFetching) return;
    if (isFound) end('found');
    else if (isFetchNextPageError) end('failed');
    else if (!hasNextPage) end('absent');
  }, [search, data, isFetching, isFound, hasNextPage, isFetchNextPageError]);
  return search;
}

/** One more page whenever somebody asks for it. */
export function useMore(query: Paged): { isComing: boolean; fetchMore(): void } {
  const [wanted, setWanted] = useState(0);
  const count = query.data?.pages.length ?? 0;
  const isComing = count < wanted && query.hasNextPage && !query.isFetchNextPageError;
  useFurtherPages(query, isComing);
  const fetchMore = () => {
    setWanted(count + 1);
    // What failed before is tried again because somebody asks.
    if (query.isFetchNextPageError) query.fetchNextPage({ cancelRefetch: false });
  };
  return { isComing, fetchMore };
}
