import { infiniteQueryOptions, keepPreviousData, type QueryKey } from '@tanstack/react-query';

interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** What an answer to a list is asked with: where to go on, and how to be told that nobody waits any more. */
export interface Turn {
  cursor: { cursor?: string };
  signal: AbortSignal;
}

/** A list page by page. */
export const inPages = <T, P extends Page<T>>(queryKey: QueryKey, fetchPage: (turn: Turn) => Promise<P>) =>
  infiniteQueryOptions({
    queryKey,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) => fetchPage({ cursor: pageParam === null ? {} : { cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: P) => page.next_cursor,
  });
