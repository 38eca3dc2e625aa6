import type { Alert } from '../api/types.ts';
import { daysAfter } from '../parts/days.ts';
import { type Rung, rungs } from './rung-names.ts';

export interface Step {
  rung: Rung;
  /** The first day on which it is reached. */
  date: string;
  /** Fired or superseded; else it is to come, or never will because the renewal was closed before. */
  state: 'fired' | 'superseded' | 'to come' | 'not needed';
  decidedAt?: string;
}

interface Climbed {
  due_date: string;
  closed_at: string | null;
  alerts: readonly Pick<Alert, 'due_date' | 'rung' | 'state' | 'decided_at'>[];
}

const daysBefore = (rung: Rung): number => (rung === 'OVERDUE' ? -1 : Number(rung));

/** The rungs of the date it has now, from the loosest. */
export const stepsOf = ({ due_date, closed_at, alerts }: Climbed): Step[] =>
  rungs.map((rung) => {
    const date = daysAfter(due_date, -daysBefore(rung));
    const alert = alerts.find((one) => one.rung === rung && one.due_date === due_date);
    if (!alert) return { rung, date, state: closed_at === null ? 'to come' : 'not needed' };
    return { rung, date, state: alert.state === 'FIRED' ? 'fired' : 'superseded', decidedAt: alert.decided_at };
  });

/** Where today stands on the line, the rungs being equally far apart: 0 is the first, 1 the last. */
export function placeOf(daysUntilDue: number): number {
  const marks = rungs.map(daysBefore);
  const after = marks.findIndex((days) => daysUntilDue > days);
  if (after === 0) return 0;
  if (after === -1) return 1;
  const [from = 0, to = 0] = [marks[after - 1], marks[after]];
  return (after - 1 + (from - daysUntilDue) / (from - to)) / (marks.length - 1);
}
