import type { CustomerCard } from '@ops/contracts/internal-routes';
import type { AlertPlan } from '@ops/contracts/resources/alert-plan';
import type { Failure, OutsideType } from '@ops/contracts/resources/communication';
import type { Rung } from '@ops/contracts/resources/renewal';
import type { TaskPriority } from '@ops/contracts/resources/task';
import { type Followed, mootBecause, remindersOff } from '../followed/followed.rules.ts';

/** What an alert does on one channel, or why it does nothing there. */
export interface Decision {
  channel: OutsideType | 'TASK';
  outcome: 'planned' | 'not_sent' | 'cancelled';
  /** The channel of the plan that this one stands in for. */
  instead_of: OutsideType | null;
  reason: Failure | null;
  /** Of a task. */
  priority: TaskPriority | null;
}

export type Message = Decision & { channel: OutsideType };

export const isMessage = <T extends Decision>(decision: T): decision is T & Message => decision.channel !== 'TASK';

type Step = AlertPlan['steps'][Rung];

export interface Circumstances {
  step: Step;
  fallThrough: readonly OutsideType[];
  renewal: Followed;
  /** The date the alert is about. */
  dueDate: string;
  /** Undefined: nobody knows this customer. */
  card: CustomerCard | undefined;
}

/** The whole alert at once, so that its channels know of each other: each is used at most once. */
export function decideAlert(about: Circumstances): Decision[] {
  const moot = mootBecause(about.renewal, about.dueDate);
  if (moot) return cancelled(about.step, moot);
  const messages = decideMessages(about);
  return [...messages, ...decideTask(about.step, messages)];
}

/**
 * What is done in place of a message that was refused when it was about to leave: what stands in for it, or, where
 * nothing does and no other message is on its way, the task that says so. `decided` is all of the alert, the refused one
 * included.
 */
export function decideInstead(
  refused: Message,
  decided: readonly Decision[],
  { step, fallThrough, renewal, card }: Pick<Circumstances, 'step' | 'fallThrough' | 'renewal' | 'card'>,
): Decision[] {
  const messages = decided.filter(isMessage);
  const used = new Set(messages.map(({ channel }) => channel));
  const reachable = card && !reasonAgainstAll(card, renewal);
  const others = reachable ? standIn(refused.instead_of ?? refused.channel, card, fallThrough, used) : [];
  const all = [...messages, ...others];
  return unreachedBecause(all) ? [...others, ...decideTask(step, all)] : others;
}

/** Nobody is written to; what becomes of the task is seen when it is made. */
function cancelled({ channels, task }: Step, reason: Failure): Decision[] {
  const messages = channels.map((channel): Decision => ({ ...planned(channel, null), outcome: 'cancelled', reason }));
  return task ? [...messages, plannedTask(task, null)] : messages;
}

function decideMessages({ step, fallThrough, renewal, card }: Circumstances): Decision[] {
  const all = reasonAgainstAll(card, renewal);
  if (all || !card) return step.channels.map((channel) => notSent(channel, null, all ?? unknownCustomer));
  const used = new Set<OutsideType>(step.channels);
  return step.channels.flatMap((channel) => {
    const reason = reasonAgainst(channel, card);
    if (!reason) return [planned(channel, null)];
    return [notSent(channel, null, reason), ...standIn(channel, card, fallThrough, used)];
  });
}

/** The first in the plan's order that this alert does not use yet and that reaches the customer; and why others do not. */
function standIn(
  channel: OutsideType,
  card: CustomerCard,
  order: readonly OutsideType[],
  used: Set<OutsideType>,
): Decision[] {
  const tried: Decision[] = [];
  for (const other of order) {
    if (used.has(other)) continue;
    used.add(other);
    const reason = reasonAgainst(other, card);
    if (!reason) return [...tried, planned(other, channel)];
    tried.push(notSent(other, channel, reason));
  }
  return tried;
}

const planned = (channel: OutsideType, instead_of: OutsideType | null): Decision => ({
  channel,
  outcome: 'planned',
  instead_of,
  reason: null,
  priority: null,
});

const notSent = (channel: OutsideType, instead_of: OutsideType | null, reason: Failure): Decision => ({
  channel,
  outcome: 'not_sent',
  instead_of,
  reason,
  priority: null,
});

/** The plan's own task; and where nothing reaches the customer, one that says so, whatever the plan has. */
export function decideTask({ task }: Step, messages: readonly Decision[]): Decision[] {
  const unreached = unreachedBecause(messages);
  return task || unreached ? [plannedTask(task ?? 'NORMAL', unreached)] : [];
}

const plannedTask = (priority: TaskPriority, reason: Failure | null): Decision => ({
  channel: 'TASK',
  outcome: 'planned',
  instead_of: null,
  reason,
  priority,
});

/** Why the customer hears nothing at all; null when a message goes out, or none was to. */
function unreachedBecause(messages: readonly Decision[]): Failure | null {
  const outcomes = new Set(messages.map(({ outcome }) => outcome));
  if (outcomes.has('planned') || !outcomes.has('not_sent')) return null;
  const reasons = new Set(messages.map(({ reason }) => reason?.message));
  return { code: 'nobody_written_to', message: `No message reaches the customer: ${[...reasons].join('; ')}` };
}

const unknownCustomer: Failure = { code: 'unknown_customer', message: 'Nobody has described this customer yet' };

/** What holds for every channel. */
function reasonAgainstAll(card: CustomerCard | undefined, { reminders }: Followed): Failure | null {
  if (reminders === 'off') return remindersOff;
  if (!card) return unknownCustomer;
  return card.do_not_contact ? { code: 'do_not_contact', message: 'This customer is not to be contacted' } : null;
}

function reasonAgainst(channel: OutsideType, card: CustomerCard): Failure | null {
  if (card.opted_out.includes(channel))
    return { code: 'opted_out', message: `The customer asked for no automated messages by ${spoken[channel]}` };
  if (!hasAddress[channel](card))
    return { code: 'no_recipient', message: `The customer has no address for ${spoken[channel]}` };
  return null;
}

const spoken: Record<OutsideType, string> = { MESSAGING_APP: 'messaging app', EMAIL: 'e-mail', SMS: 'SMS' };

const hasAddress: Record<OutsideType, (card: CustomerCard) => boolean> = {
  MESSAGING_APP: ({ phones, user_ids }) => phones.length + user_ids.length > 0,
  EMAIL: ({ emails }) => emails.length > 0,
  SMS: ({ phones }) => phones.length > 0,
};

/** Why a message of a looser alert does not leave any more. */
export const superseded = (tighter: Rung): Failure => ({
  code: 'superseded',
  message: `The more urgent alert ${tighter} about the same date took its place`,
});

export type Carrier = 'messaging' | 'email' | 'task';

/** Whose queue does it: what stands in for a channel is done by that channel's. */
export function carrierOf({ channel, instead_of }: Pick<Decision, 'channel' | 'instead_of'>): Carrier {
  if (channel === 'TASK') return 'task';
  return (instead_of ?? channel) === 'EMAIL' ? 'email' : 'messaging';
}
