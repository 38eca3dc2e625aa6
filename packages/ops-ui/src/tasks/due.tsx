import type { Task } from '../api/types.ts';
import { dayOf, useNow } from '../parts/dates.tsx';
import { DaysLeft } from '../parts/urgency.tsx';
import { dayAt, daysBetween } from './task.ts';
import classes from './tasks.module.css';

/** When it is due, and how long that is; of what is closed, the date alone. */
export function Due({ task: { due_date, status } }: { task: Task }) {
  const today = dayAt(useNow());
  if (due_date === null) return <span className={classes.quiet}>No due date</span>;
  return (
    <span className={classes.due}>
      {dayOf(due_date)}
      {status === 'OPEN' && <DaysLeft days={daysBetween(today, due_date)} />}
    </span>
  );
}
