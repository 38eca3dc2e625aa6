import type { Alert, Hold } from '../api/types.ts';
import { daysAfter } from '../parts/days.ts';
import { keepsBack } from './hold-words.ts';
import { type Rung, rungs } from './rung-names.ts';

export interface Step {
  rung: Rung;
  /** The first day on which it is reached. */
  date: string;
  /**
   * Fired, with its message kept back or not, or superseded; else it is to come, perhaps while the renewal is held, or never
   * will because the renewal was closed before.
   */
  state: 'fired' | 'kept back' | 'superseded' | 'to come' | 'held' | 'not needed';
  decidedAt?: string;
}

interface Climbed {
  due_date: string;
  closed_at: string | null;
  hold: Hold | null;
  /** The newest first. */
  alerts: readonly Pick<Alert, 'due_date' | 'rung' | 'state' | 'decided_at' | 'outcomes'>[];
}

const daysBefore = (rung: Rung): number => (rung === 'OVERDUE' ? -1 : Number(rung));

/** The rungs of the date it has now, from the loosest. */
export const stepsOf = ({ due_date, closed_at, hold, alerts }: Climbed): Step[] =>
  rungs.map((rung) => {
    const date = daysAfter(due_date, -daysBefore(rung));
    const alert = alerts.find((one) => one.rung === rung && one.due_date === due_date);
    if (alert) return { rung, date, state: stateOf(alert), decidedAt: alert.decided_at };
    if (closed_at !== null) return { rung, date, state: 'not needed' };
    return { rung, date, state: keepsBack(hold, date) ? 'held' : 'to come' };
  });

/** The one that comes next. */
export const nextOf = (steps: readonly Step[]): Step | undefined =>
  steps.find(({ state }) => state === 'to come' || state === 'held');

/** Why a message of an alert did not leave. */
export const isHeld = ({ reason }: Pick<Alert['outcomes'][number], 'reason'>): boolean => reason?.code === 'held';

function stateOf({ state, outcomes }: Pick<Alert, 'state' | 'outcomes'>): Step['state'] {
  if (state === 'SUPERSEDED') return 'superseded';
  return outcomes.some(isHeld) ? 'kept back' : 'fired';
}

/** Where today stands on the line, the rungs being equally far apart: 0 is the first, 1 the last. */
export function placeOf(daysUntilDue: number): number {
  const marks = rungs.map(daysBefore);
  const after = marks.findIndex((days) => daysUntilDue > days);
  if (after === 0) return 0;
  if (after === -1) return 1;
  const [from = 0, to = 0] = [marks[after - 1], marks[after]];
  return (after - 1 + (from - daysUntilDue) / (from - to)) / (marks.length - 1);
}
