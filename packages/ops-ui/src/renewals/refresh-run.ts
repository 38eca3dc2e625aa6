import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { api, dataOf } from '../api/client.ts';
import { asProblem, type ProblemError } from '../api/problem.ts';
import { queries } from '../api/queries.ts';
import type { RefreshRun, RefreshRunDetail } from '../api/types.ts';
import { runQuery } from '../runs/run-queries.ts';

/** The refresh somebody follows on this screen; it outlives the page it was begun on. */
interface Followed {
  run_id: string | undefined;
  isStarting: boolean;
  problem: ProblemError | undefined;
}

const nothing: Followed = { run_id: undefined, isStarting: false, problem: undefined };
let followed = nothing;
const listeners = new Set<() => void>();

function set(next: Followed): void {
  followed = next;
  for (const listener of listeners) listener();
}

const useFollowed = (): Followed =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => followed,
  );

/** Begins a refresh, or joins the one that goes on. */
export async function startRefresh(): Promise<void> {
  set({ ...nothing, isStarting: true });
  try {
    const run = (await dataOf(
      api.POST('/ops/renewals/refresh', {
        params: { header: { Prefer: 'respond-async', 'Idempotency-Key': crypto.randomUUID() } },
      }),
    )) as RefreshRun;
    queries.setQueryData(runQuery(run.run_id).queryKey, { ...run, set_aside: [] });
    if (run.status !== 'RUNNING') fetchAgain();
    set({ ...nothing, run_id: run.run_id });
  } catch (error) {
    set({ ...nothing, problem: asProblem(error) });
  }
}

/** What a refresh changes. */
const altered = [['renewals'], ['customer-renewals'], ['tasks'], ['refresh']];

function fetchAgain(): void {
  for (const queryKey of altered) queries.invalidateQueries({ queryKey });
}

export const forgetRefresh = (): void => set(nothing);

/** Somebody else, or the time of day, may have begun one. */
const newestRunQuery = queryOptions({
  queryKey: ['refresh', 'newest'],
  queryFn: async ({ signal }) =>
    (await dataOf(api.GET('/ops/renewals/refresh', { params: { query: { limit: 1 } }, signal }))).data[0] ?? null,
  staleTime: 0,
});

interface Refreshing extends Followed {
  run: RefreshRunDetail | undefined;
  isRunning: boolean;
}

/** The refresh that goes on, or the one whose outcome somebody still has before them. */
export function useRefresh(): Refreshing {
  const current = useFollowed();
  const { data } = useQuery({ ...runQuery(current.run_id ?? ''), enabled: current.run_id !== undefined });
  const run = current.run_id === undefined ? undefined : data;
  const isRunning = current.isStarting || run?.status === 'RUNNING';
  const { data: newest } = useQuery({ ...newestRunQuery, enabled: !isRunning });
  const runningId = newest?.status === 'RUNNING' ? newest.run_id : undefined;
  useEffect(() => {
    if (runningId !== undefined) set({ ...nothing, run_id: runningId });
  }, [runningId]);
  return { ...current, run, isRunning };
}

/** When the run that is followed is over, what it changed is fetched again, be the live stream there or not. */
export function useFetchAgainAfter(run: RefreshRunDetail | undefined): void {
  const running = useRef<string>(undefined);
  const { run_id, status } = run ?? {};
  useEffect(() => {
    if (status !== 'RUNNING' && run_id !== undefined && running.current === run_id) fetchAgain();
    running.current = status === 'RUNNING' ? run_id : undefined;
  }, [run_id, status]);
}
