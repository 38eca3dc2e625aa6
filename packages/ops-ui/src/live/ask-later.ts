import type { Query, QueryClient } from '@tanstack/react-query';

const laterMs = 30_000;
const waiting = new WeakSet<object>();

/**
 * What could not be fetched anew stays as it was, under a stream that is live and tells of each change once: it is asked for
 * again until it is answered.
 */
export function askLater(queries: QueryClient, query: Pick<Query<unknown, unknown>, 'queryKey' | 'state'>): void {
  if (waiting.has(query)) return;
  waiting.add(query);
  setTimeout(() => {
    waiting.delete(query);
    if (query.state.error !== null) void queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
  }, laterMs);
}
