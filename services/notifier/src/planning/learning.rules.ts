import type { EventData } from '@ops/contracts/events';
import type { Failure } from '@ops/contracts/resources/communication';
import { type Followed, renewalOf } from '../followed/followed.rules.ts';
import { againstMessage, type Decided, recordOf } from './alert-actions.rules.ts';
import { heardIn, stronger } from './heard.rules.ts';
import { isToRewrite, type MessageAction } from './letter.rules.ts';
import { isMessage } from './planning.rules.ts';

/** What was told of a message, and what that makes of its action. */
export interface Learnt {
  before: MessageAction;
  after: MessageAction;
}

type Told = EventData<'delivery.updated'> | EventData<'communication.settled'>;

/** Of each action that the message carries out; nothing when it is no message of an alert, or says no more than was known. */
export function learn(decided: Decided, told: Told, renewals: ReadonlyMap<string, Followed>, today: string): Learnt[] {
  const about = [...decided.values()].flat().filter((one) => recordOf(one) === told.communication_id);
  const stop = told.status === 'CANCELLED' ? told.failure : null;
  return about.filter(isMessage).flatMap((before) => {
    const isApart = about.length > 1 && isToRewrite(before, stop);
    const against = (renewal: Followed) => againstMessage(before, renewal, decided, { attempt: 1, today });
    const after = isApart ? stoppedApart(before, against(renewalOf(before, { renewals }))) : hearing(before, told);
    return after === before ? [] : [{ before, after }];
  });
}

/** Of a letter that was stopped: there will be another for it, unless something is against it too. */
const stoppedApart = (before: MessageAction, reason: Failure | null): MessageAction =>
  reason
    ? { ...before, outcome: 'cancelled', reason }
    : { ...before, letter_id: null, together: before.letter_id, carried_out: false };

function hearing(before: MessageAction, told: Told): MessageAction {
  const heard = heardIn(told);
  if (!heard) return unlessStopped(before, told);
  const strongest = stronger(before.heard, heard);
  return strongest === before.heard ? before : unlessRefused({ ...before, heard: strongest });
}

/** What was on the wire when it was to be stopped may arrive. Only when it was not taken it is known that it never left. */
function unlessStopped(before: MessageAction, { status, failure }: Told): MessageAction {
  const isStopped = status === 'CANCELLED' && before.outcome === 'planned' && before.heard === null;
  return isStopped ? { ...before, outcome: 'cancelled', reason: failure } : before;
}

/** Since the alert was decided the customer has taken this channel away: the message never left. */
const refusals: ReadonlySet<string> = new Set(['opted_out', 'no_recipient', 'do_not_contact']);

function unlessRefused(action: MessageAction): MessageAction {
  const failure = action.heard?.status === 'FAILED' ? action.heard.failure : null;
  const isRefused = action.outcome === 'planned' && failure && refusals.has(failure.code);
  return isRefused ? { ...action, outcome: 'not_sent', reason: failure } : action;
}
