import { addMonths, dayOfMonth, type PlainDate } from '@ops/contracts/dates';

/** What a date is counted from: the date, and the day of the month its terms lead back to. */
export interface Anchored {
  due_date: PlainDate;
  anchor_day: number;
}

/** No date beyond it is taken in. */
const lastDate = '2199-12-31';

/**
 * The end of the next term: whole periods from the due date, so that completing late loses no day, and as many of them as
 * lead past today. Null: beyond any date there is.
 */
export function nextTerm({ due_date, anchor_day }: Anchored, months: number, today: PlainDate): Anchored | null {
  for (let periods = 1; ; periods++) {
    const date = addMonths(due_date, periods * months, anchor_day);
    if (date > lastDate) return null;
    if (date > today) return { due_date: date, anchor_day };
  }
}

/** A new date keeps the day it was counted by where it is only that day in a shorter month. */
export const anchoredAt = (due_date: PlainDate, before?: number): Anchored => ({
  due_date,
  anchor_day: before !== undefined && addMonths(due_date, 0, before) === due_date ? before : dayOfMonth(due_date),
});
