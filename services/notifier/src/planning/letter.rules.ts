import type { Failure, OutsideType } from '@ops/contracts/resources/communication';
import { rungs } from '@ops/contracts/resources/renewal';
import { type Action, type Decided, decidedOf, keyOf, newAction } from './alert-actions.rules.ts';
import { isMessage, type Message, planned } from './planning.rules.ts';

export type MessageAction = Action & Message;

/** What a customer is told of together, by one channel, the most urgent first. */
export interface Letter {
  channel: OutsideType;
  members: [MessageAction, ...MessageAction[]];
}

export interface Composed {
  letters: Letter[];
  /** Alerts that go along by a channel of the deciding one which they would not have used themselves. */
  added: MessageAction[];
  /** What an alert need not use, since it goes along by another. */
  dropped: MessageAction[];
}

/** A tighter rung first, then an earlier date. */
export const byUrgency = (
  one: Pick<Action, 'rung' | 'due_date' | 'renewal_id'>,
  other: Pick<Action, 'rung' | 'due_date' | 'renewal_id'>,
): number =>
  rungs.indexOf(other.rung) - rungs.indexOf(one.rung) ||
  compare(one.due_date, other.due_date) ||
  compare(one.renewal_id, other.renewal_id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/**
 * The messages of one customer that go together as letters. The most urgent alert decides by which channels, before any step that
 * follows one, which has a single channel: the others go along by them, and by no other. Only one that had used all of them
 * before, and reached nobody, keeps its own.
 */
export function compose(waiting: readonly MessageAction[], decided: Decided, newId: () => string): Composed {
  const alerts = [...Map.groupBy(waiting.toSorted(byUrgency), keyOf).values()];
  const deciding = alerts.find(([first]) => first?.does === null) ?? alerts[0] ?? [];
  const channels = deciding.map(({ channel }) => channel);
  const composed = alerts.map((own) => goingAlong(own, channels, decidedOf(own[0] as Action, decided), newId));
  const members = composed.flatMap(({ kept, added }) => [...kept, ...added]);
  return {
    letters: [...Map.groupBy(members, ({ channel }) => channel)].map(([channel, [first, ...others]]) => ({
      channel,
      members: [first as MessageAction, ...others],
    })),
    added: composed.flatMap(({ added }) => added),
    dropped: composed.flatMap(({ dropped }) => dropped),
  };
}

function goingAlong(
  own: readonly MessageAction[],
  channels: readonly OutsideType[],
  decided: readonly Action[],
  newId: () => string,
): { kept: MessageAction[]; added: MessageAction[]; dropped: MessageAction[] } {
  const shared = own.filter(({ channel }) => channels.includes(channel));
  const unused = channels.filter((channel) => !decided.some((one) => one.channel === channel));
  const [first] = own as [MessageAction];
  const added = unused
    .map((channel) => newAction(newId(), planned(channel, null), first, first.together))
    .filter(isMessage);
  if (shared.length + added.length === 0) return { kept: [...own], added: [], dropped: [] };
  return { kept: shared, added, dropped: own.filter((one) => !shared.includes(one)) };
}

const severalCustomers: Failure = {
  code: 'several_customers',
  message: 'What the letter names is of different customers by now',
};

/** Against a letter of what turned out to be of several customers, each of whom gets their own. */
export const againstTelling = (members: readonly Pick<Action, 'customer_id'>[]): Failure | null =>
  new Set(members.map(({ customer_id }) => customer_id)).size > 1 ? severalCustomers : null;

/** Why a letter is not to leave as it is, though nothing is wrong with some that it names: for them there will be another. */
const stopsOfOne: ReadonlySet<string> = new Set([
  'renewal_completed',
  'renewal_cancelled',
  'due_date_changed',
  'reminders_off',
  'held',
  'superseded',
  severalCustomers.code,
]);

/** A message that was stopped for what another renewal in its letter came to is written anew. */
export const isToRewrite = (action: Action, stopped: Failure | null): boolean =>
  action.letter_id !== null &&
  action.outcome === 'planned' &&
  action.heard === null &&
  stopped !== null &&
  stopsOfOne.has(stopped.code);
