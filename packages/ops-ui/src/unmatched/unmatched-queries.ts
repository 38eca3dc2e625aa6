import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import type { Unmatched } from '../api/types.ts';

const pageSize = 50;

/** Newest first; `q`: by any part of a sender's number, address or name. */
export const unmatchedQuery = (state: Unmatched['state'], q?: string, limit = pageSize) =>
  inPages(['unmatched', state, q, limit], ({ cursor, signal }) =>
    dataOf(api.GET('/ops/unmatched', { params: { query: { limit, state, ...(q && { q }), ...cursor } }, signal })),
  );

/** Whatever became of it. */
export const oneUnmatchedQuery = (id: string) =>
  queryOptions({
    queryKey: ['unmatched', 'one', id],
    queryFn: ({ signal }) => dataOf(api.GET('/ops/unmatched/{id}', { params: { path: { id } }, signal })),
  });
