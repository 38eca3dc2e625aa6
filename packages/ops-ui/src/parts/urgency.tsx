import classes from './urgency.module.css';
import { counted } from './words.ts';

/** The rungs of the ladder, each with a colour of its own. */
export type Urgency = 'overdue' | '7' | '14' | '30' | '60' | '90';

const steps = [
  [7, '7'],
  [14, '14'],
  [30, '30'],
  [60, '60'],
] as const;

export function urgencyOf(days: number): Urgency {
  if (days < 0) return 'overdue';
  return steps.find(([most]) => days <= most)?.[1] ?? '90';
}

/** How many, whichever way. */
export const countOfDays = (days: number): string => counted(Math.abs(days), 'day');

function daysInWords(days: number): string {
  if (days === 0) return 'due today';
  return days < 0 ? `${countOfDays(days)} overdue` : countOfDays(days);
}

/** How long there is, in words and in the colour that says the same. */
export const DaysLeft = ({ days }: { days: number }) => (
  <span className={classes.days} data-urgency={urgencyOf(days)}>
    {daysInWords(days)}
  </span>
);
