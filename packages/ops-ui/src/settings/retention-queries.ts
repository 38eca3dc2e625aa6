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

export const proposalsQuery = infiniteQueryOptions({
  ...inPages(['retention', 'proposals'], ({ cursor, signal }) =>
    dataOf(api.GET('/ops/proposals', { params: { query: { limit: pageSize, ...cursor } }, signal })),
  ),
  staleTime: 0,
  refetchOnWindowFocus: true,
});

export const retentionRunsQuery = infiniteQueryOptions({
  ...inPages(['retention', 'runs'], ({ cursor, signal }) =>
    dataOf(api.GET('/ops/retention/runs', { params: { query: { limit: pageSize, ...cursor } }, signal })),
  ),
  staleTime: 0,
  refetchOnWindowFocus: true,
});
