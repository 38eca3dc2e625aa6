import { addDays } from '@ops/contracts/dates';
import { type Rung, rungs } from '@ops/contracts/resources/renewal';

/** The greatest `days_until_due` at which a rung is reached. */
const reachedAt = (one: Rung): number => (one === 'OVERDUE' ? -1 : Number(one));

export const reached = (daysUntilDue: number): Rung[] => rungs.filter((one) => daysUntilDue <= reachedAt(one));

/**
 * A date may come in silently: the customer is not written to of rungs that it has reached by then. They are known by the
 * most urgent of them, `silent_through`; null: there is none.
 */
export const silentThrough = (daysUntilDue: number, mostUrgent: Rung = 'OVERDUE'): Rung | null =>
  reached(daysUntilDue).findLast((one) => isSilent(one, mostUrgent)) ?? null;

export const isSilent = (one: Rung, silent_through: Rung | null): boolean =>
  silent_through !== null && rungs.indexOf(one) <= rungs.indexOf(silent_through);

export interface Decision {
  /** The most urgent rung reached; null when it was decided on before. */
  fire: Rung | null;
  /** The looser ones that nobody decided on before, from the loosest. */
  supersede: Rung[];
}

/**
 * One alert at most, whatever was missed, and never a looser one after a more urgent one. `recorded` is what the ledger
 * holds for this due date, fired or superseded.
 */
export function decide(daysUntilDue: number, recorded: readonly Rung[]): Decision {
  const undecided = reached(daysUntilDue).filter((one) => !recorded.includes(one));
  const mostUrgent = reached(daysUntilDue).at(-1);
  const fire = undecided.find((one) => one === mostUrgent) ?? null;
  return { fire, supersede: undecided.filter((one) => one !== fire) };
}

/**
 * The first date on which a refresh has something to do with a renewal, which may have passed already; null: never
 * again. An overdue one whose last rung was recorded before it fell due still has to be marked as overdue.
 */
export function nextAlertOn(
  dueDate: string,
  recorded: readonly Rung[],
  isOverdue = recorded.includes('OVERDUE'),
): string | null {
  const ahead = rungs.filter((one) => !recorded.includes(one) || (one === 'OVERDUE' && !isOverdue));
  return ahead[0] === undefined ? null : addDays(dueDate, -reachedAt(ahead[0]));
}
