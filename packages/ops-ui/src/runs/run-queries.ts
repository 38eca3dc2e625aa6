import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import type { RefreshRun, RefreshRunDetail } from '../api/types.ts';

const pageSize = 50;

/** Alerts tell that a run is at work, and nothing tells of one that has none: it is looked for now and then. */
const whileOneRunsMs = 1_500;
const elseMs = 60_000;
const againIn = (runs: readonly RefreshRun[] = []): number =>
  runs.some(({ status }) => status === 'RUNNING') ? whileOneRunsMs : elseMs;

/** Refreshes, the newest first. */
export const runsQuery = infiniteQueryOptions({
  ...inPages(['refresh', 'runs'], ({ cursor, signal }) =>
    dataOf(api.GET('/ops/renewals/refresh', { params: { query: { limit: pageSize, ...cursor } }, signal })),
  ),
  staleTime: 0,
  refetchInterval: ({ state }) => againIn(state.data?.pages[0]?.data),
});

/** The newest that was completed, however many after it were not; null: there is none. */
export const lastCompletedQuery = queryOptions({
  queryKey: ['refresh', 'last-completed'],
  queryFn: async ({ signal }): Promise<RefreshRun | null> => {
    const query = { status: 'COMPLETED', limit: 1 } as const;
    const { data } = await dataOf(api.GET('/ops/renewals/refresh', { params: { query }, signal }));
    return data[0] ?? null;
  },
  staleTime: 0,
  refetchInterval: elseMs,
});

const followedMs = 500;

/** It is looked at again by the clock alone: the live stream tells of every renewal that a run has done. */
export const runQuery = (run_id: string) =>
  queryOptions({
    queryKey: ['refresh-run', run_id],
    queryFn: ({ signal }): Promise<RefreshRunDetail> =>
      dataOf(api.GET('/ops/renewals/refresh/{run_id}', { params: { path: { run_id } }, signal })),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.status === 'RUNNING' ? followedMs : false),
  });
