import type { Proposal } from '@ops/contracts/resources/proposal';
import type { PutRetention } from '@ops/contracts/resources/retention';

const DAY_MS = 86_400_000;

/** Long enough that somebody who was away sees it before it is so. */
export const aDayAfter = (at: Date): Date => new Date(at.getTime() + DAY_MS);

/** For so long somebody else may confirm it. */
const expiresAfterMs = 7 * DAY_MS;
/** For so long it is shown that something came to nothing. */
const shownInVainMs = 7 * DAY_MS;

export const unconfirmedSince = (now: Date): Date => new Date(now.getTime() - expiresAfterMs);
export const inVainSince = (now: Date): Date => new Date(now.getTime() - shownInVainMs);

/** `same`: it was done before, and the same again changes nothing. */
type Decision = 'yes' | 'same' | 'done' | 'over' | 'same_person';

export function decideConfirm({ status, proposed_by }: Proposal, by: string): Decision {
  if (status === 'CONFIRMED') return 'same';
  if (status !== 'PROPOSED') return decideOver(status);
  return proposed_by === by ? 'same_person' : 'yes';
}

export function decideCallOff({ status }: Proposal): Decision {
  if (status === 'CALLED_OFF') return 'same';
  return status === 'PROPOSED' || status === 'CONFIRMED' ? 'yes' : decideOver(status);
}

const decideOver = (status: Proposal['status']): Decision => (status === 'DONE' ? 'done' : 'over');

/** What is to be kept for how long, once it takes effect. */
export const proposedDays = (keep_days: Proposal['keep_days']): PutRetention['keep_days'] =>
  Object.fromEntries(Object.entries(keep_days).map(([name, { to }]) => [name, to]));
