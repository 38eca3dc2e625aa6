import type { Task } from '../api/types.ts';
import { dayOf, useToday } from '../parts/dates.tsx';
import { daysBetween } from '../parts/days.ts';
import { DaysLeft } from '../parts/urgency.tsx';
import classes from './tasks.module.css';

/** When it is due, and how long that is; of what is closed, the date alone. */
export function Due({ task: { due_date, status } }: { task: Task }) {
  const today = useToday();
  if (due_date === null) return <span className={classes.quiet}>No due date</span>;
  return (
    <span className={classes.due}>
      {dayOf(due_date)}
      {status === 'OPEN' && <DaysLeft days={daysBetween(today, due_date)} />}
    </span>
  );
}
