import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import { toldByNobody } from '../api/told-by-nobody.ts';

const pageSize = 20;

export const retentionQuery = queryOptions({
  ...toldByNobody,
  queryKey: ['retention', 'policy'],
  queryFn: ({ signal }) => dataOf(api.GET('/ops/retention', { signal })),
  refetchOnMount: 'always',
});

export const retentionRunsQuery = infiniteQueryOptions({
  ...inPages(['retention', 'runs'], ({ cursor, signal }) =>
    dataOf(api.GET('/ops/retention/runs', { params: { query: { limit: pageSize, ...cursor } }, signal })),
  ),
  staleTime: 0,
  refetchOnWindowFocus: true,
});
