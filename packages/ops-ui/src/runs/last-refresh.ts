import type { RefreshRun } from '../api/types.ts';

type Run = Pick<RefreshRun, 'status' | 'finished_at'>;

/** One comes each night; a day and two hours leave room for one that takes long. */
const mostHours = 26;
const hourMs = 3_600_000;

/** How old the last completed refresh is: no older than it may be, older, or there is none. */
export type LastRefresh = { state: 'recent' } | { state: 'old'; finishedAt: string } | { state: 'none' };

/** Of runs in whatever order. */
export function lastRefreshOf(runs: readonly Run[], now: number): LastRefresh {
  const ends = runs.flatMap(({ status, finished_at }) => (status === 'COMPLETED' && finished_at ? [finished_at] : []));
  const finishedAt = ends.toSorted((one, other) => Date.parse(other) - Date.parse(one))[0];
  if (finishedAt === undefined) return { state: 'none' };
  return now - Date.parse(finishedAt) > mostHours * hourMs ? { state: 'old', finishedAt } : { state: 'recent' };
}
