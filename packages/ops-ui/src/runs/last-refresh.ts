import type { RefreshRun } from '../api/types.ts';

/** One comes each night; a day and two hours leave room for one that takes long. */
const mostHours = 26;
const hourMs = 3_600_000;

/** How old the last completed refresh is: no older than it may be, older, there is none, or nobody can tell. */
export type LastRefresh =
  | { state: 'recent' }
  | { state: 'old'; finishedAt: string }
  | { state: 'none' }
  | { state: 'unknown' };

/** Of the last one that is known of, null where there is none. `isCurrent`: none can have been completed since unseen. */
export function lastRefreshOf(
  last: Pick<RefreshRun, 'finished_at'> | null | undefined,
  isCurrent: boolean,
  now: number,
): LastRefresh {
  const finishedAt = last?.finished_at;
  if (finishedAt && now - Date.parse(finishedAt) <= mostHours * hourMs) return { state: 'recent' };
  if (!isCurrent) return { state: 'unknown' };
  return finishedAt ? { state: 'old', finishedAt } : { state: 'none' };
}
