import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';
import { ShowMore } from './show-more.tsx';
import { Empty, Failed, Loading } from './states.tsx';

interface ListedProps<T> {
  query: UseInfiniteQueryResult<InfiniteData<{ data: T[] }>>;
  /** What is said while there is nothing. */
  empty: ReactNode;
  /** As many as there usually are, and how high. */
  skeleton?: { rows?: number; height?: number };
  children(items: T[]): ReactNode;
}

/** A list that comes page by page, in each of its states. */
export function Listed<T>({ query, empty, skeleton, children }: ListedProps<T>) {
  const { data, error, isPending, refetch } = query;
  if (isPending) return <Loading {...skeleton} />;
  if (!data) return <Failed problem={asProblem(error)} again={refetch} />;
  const items = data.pages.flatMap((page) => page.data);
  if (items.length === 0) return <Empty>{empty}</Empty>;
  return (
    <>
      {children(items)}
      <ShowMore m="lg" query={query} />
    </>
  );
}
