import { useEffect, useState } from 'react';

interface Going {
  data: unknown;
  isFetching: boolean;
  hasNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage(): unknown;
}

/** Goes on through a list until what one came for is in it; says whether it is, or there is no more to look through. */
export function useFetchUntil(query: Going, isFound: boolean): boolean {
  const { data, isFetching, hasNextPage, isFetchNextPageError, fetchNextPage } = query;
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (isOver || data === undefined || isFetching) return;
    if (isFound || !hasNextPage || isFetchNextPageError) setIsOver(true);
    else fetchNextPage();
  }, [isOver, data, isFetching, isFound, hasNextPage, isFetchNextPageError, fetchNextPage]);
  return isOver;
}
