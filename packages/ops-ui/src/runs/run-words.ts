import type { RefreshRun } from '../api/types.ts';
import { type Rung, rungs } from '../renewals/rung-names.ts';

export const statusWords: Record<RefreshRun['status'], string> = {
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  ABANDONED: 'Replaced by a newer one',
};

const units = [
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Such as "2 min 5 s": the two greatest units that say something. */
export function durationInWords(ms: number): string {
  let seconds = Math.round(ms / 1_000);
  if (seconds < 1) return 'under a second';
  const parts: string[] = [];
  for (const [unit, length] of units) {
    const count = Math.floor(seconds / length);
    seconds -= count * length;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.slice(0, 2).join(' ');
}

/** How long a run took, or has taken by now. */
export const tookMs = ({ started_at, finished_at }: RefreshRun, now: number): number =>
  Math.max(0, (finished_at ? Date.parse(finished_at) : now) - Date.parse(started_at));

/** Rungs at which alerts fired, the first one first. */
export const firedByRung = ({ by_rung }: RefreshRun['counts']): { rung: Rung; count: number }[] =>
  rungs.map((rung) => ({ rung, count: by_rung[rung] ?? 0 })).filter(({ count }) => count > 0);
