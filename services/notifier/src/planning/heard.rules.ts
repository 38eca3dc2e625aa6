import type { EventData } from '@ops/contracts/events';
import type { Failure } from '@ops/contracts/resources/communication';

const statuses = ['UNCERTAIN', 'SENT', 'FAILED', 'DELIVERED', 'READ'] as const;

/** What became of a message, as far as sending, or staff who asked about it, have told. */
export interface Heard {
  status: (typeof statuses)[number];
  attempt: number;
  failure: Failure | null;
  at: string;
}

/** Undefined for what says nothing yet: that it was put off, or that it did not leave. */
export function heardIn(told: EventData<'delivery.updated'> | EventData<'communication.settled'>): Heard | undefined {
  const status = statuses.find((one) => one === told.status);
  const failure = told.failure && { code: told.failure.code, message: told.failure.message };
  return status && { status, attempt: told.attempt, failure, at: told.occurred_at };
}

export const hasArrived = ({ status }: Heard): boolean => status === 'DELIVERED' || status === 'READ';

/**
 * The stronger of two: in whatever order and however often things are told, the same comes out. That it arrived is true
 * whatever becomes of further attempts; else the last attempt says more than those before.
 */
export function stronger(known: Heard | null, told: Heard): Heard {
  if (!known) return told;
  const order =
    Number(hasArrived(told)) - Number(hasArrived(known)) ||
    told.attempt - known.attempt ||
    statuses.indexOf(told.status) - statuses.indexOf(known.status);
  return order > 0 ? told : known;
}
