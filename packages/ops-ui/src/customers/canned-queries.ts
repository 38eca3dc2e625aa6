import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { CannedReplies } from '../api/types.ts';

export type CannedScope = CannedReplies['scope'];

export const cannedQuery = (scope: CannedScope) =>
  queryOptions({
    queryKey: ['canned-replies', scope],
    queryFn: ({ signal }) => dataOf(api.GET('/ops/canned-replies', { params: { query: { scope } }, signal })),
  });
