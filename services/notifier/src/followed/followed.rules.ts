import type { Failure } from '@ops/contracts/resources/communication';
import type { Hold, Renewal } from '@ops/contracts/resources/renewal';

/** A renewal as its service last told of it. */
export type Followed = Pick<
  Renewal,
  'customer_id' | 'due_date' | 'status' | 'assigned_agent' | 'reminders' | 'hold' | 'version'
> & {
  renewal_id: string;
  /** The id of its customer it was made under, where that is or was another. */
  written_under: string | null;
};

/** The id that what is done about it is written under too: should that be taken for another's, all goes along. */
export const writtenUnder = ({ written_under, customer_id }: Pick<Followed, 'written_under' | 'customer_id'>) =>
  written_under ?? customer_id;

export const remindersOff: Failure = { code: 'reminders_off', message: 'Reminders of this renewal are switched off' };

/** Why nothing more is to be done about that due date; null while there is. */
export function mootBecause(renewal: Pick<Followed, 'status' | 'due_date'>, dueDate: string): Failure | null {
  if (renewal.status === 'COMPLETED') return { code: 'renewal_completed', message: 'The renewal was completed' };
  if (renewal.status === 'CANCELLED') return { code: 'renewal_cancelled', message: 'The renewal was cancelled' };
  if (renewal.due_date !== dueDate)
    return { code: 'due_date_changed', message: `The renewal is due on ${renewal.due_date} now` };
  return null;
}

/** Why a message about that due date that has not left yet is not to leave any more. */
export const stopBecause = (
  renewal: Pick<Followed, 'status' | 'due_date' | 'reminders'>,
  dueDate: string,
): Failure | null => mootBecause(renewal, dueDate) ?? (renewal.reminders === 'off' ? remindersOff : null);

/** Why no machine writes about it that day; null when nothing holds it, or nothing does any more. */
export function heldBecause({ hold }: Pick<Followed, 'hold'>, today: string): Failure | null {
  if (hold === null || (hold.until !== null && hold.until <= today)) return null;
  const end = hold.until === null ? '' : `, until ${hold.until}`;
  return { code: 'held', message: `${heldWords[hold.because]}${end}` };
}

export function renewalOf(
  { renewal_id }: Pick<Followed, 'renewal_id'>,
  { renewals }: { renewals: ReadonlyMap<string, Followed> },
): Followed {
  const renewal = renewals.get(renewal_id);
  if (!renewal) throw new Error(`renewal ${renewal_id} was not read`);
  return renewal;
}

/** Why a message about that due date does not leave. What a person had sent again leaves though somebody is at the renewal. */
export const againstLeaving = (
  renewal: Pick<Followed, 'status' | 'due_date' | 'reminders' | 'hold'>,
  dueDate: string,
  attempt: number,
  today: string,
): Failure | null => stopBecause(renewal, dueDate) ?? (attempt === 1 ? heldBecause(renewal, today) : null);

const heldWords: Record<Hold['because'], string> = {
  started: 'Somebody is at work on the renewal',
  acknowledged: 'Somebody looks after the renewal',
  answered: 'The customer answered about the renewal',
};
