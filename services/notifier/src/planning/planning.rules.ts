import type { CustomerCard } from '@ops/contracts/internal-routes';
import type { AlertPlan } from '@ops/contracts/resources/alert-plan';
import type { Failure, OutsideType } from '@ops/contracts/resources/communication';
import type { Deed } from '@ops/contracts/resources/outreach';
import { type Rung, rungs } from '@ops/contracts/resources/renewal';
import type { TaskPriority } from '@ops/contracts/resources/task-priority';
import { type Followed, heldBecause, mootBecause, remindersOff } from '../followed/followed.rules.ts';
import { moreUrgent } from '../tasks/task.rules.ts';

/** What an alert does on one channel, or why it does nothing there. */
export interface Decision {
  channel: OutsideType | 'TASK';
  outcome: 'planned' | 'not_sent' | 'cancelled';
  /** The channel of the plan that this one stands in for. */
  instead_of: OutsideType | null;
  reason: Failure | null;
  /** Given for a task alone. */
  priority: TaskPriority | null;
}

export type Message = Decision & { channel: OutsideType };

export const isMessage = <T extends Decision>(decision: T): decision is T & Message => decision.channel !== 'TASK';

/** One message, or task, of a rung. */
export interface StepAsked {
  rung: Rung;
  step: string;
  /** Of a step that follows its alert: what it does, as the plan had it when the alert fired. */
  does: Deed | null;
}

/**
 * What is to be done, and in which order another channel is looked for. The alert uses all its channels, and its task is its
 * own; what follows it is one message, by the first of its channels that can be used.
 */
export function wayOf(
  { steps, fall_through }: Pick<AlertPlan, 'steps' | 'fall_through'>,
  { rung, step, does }: StepAsked,
): Pick<Circumstances, 'step' | 'fallThrough'> {
  if (does === null) {
    const { channels, task } = steps[rung];
    return { step: { channels, task: step === '0' ? task : null }, fallThrough: fall_through };
  }
  return {
    step: { ...does, channels: does.channels.slice(0, 1) },
    fallThrough: once([...does.channels, ...fall_through]),
  };
}

export interface Circumstances {
  rung: Rung;
  step: Deed;
  fallThrough: readonly OutsideType[];
  renewal: Pick<Followed, 'status' | 'due_date' | 'reminders' | 'hold'>;
  /** The date the alert is about. */
  dueDate: string;
  /** Undefined: nobody knows this customer. */
  card: CustomerCard | undefined;
  today: string;
  /** The date came in silently with this rung reached. */
  silent: boolean;
}

/** The whole alert at once, so that its channels know of each other: each is used at most once. */
export function decideAlert(about: Circumstances): Decision[] {
  if (about.silent) return decideSilently(about);
  const moot = mootBecause(about.renewal, about.dueDate);
  if (moot) return cancelled(about.step, moot);
  const held = heldBecause(about.renewal, about.today);
  if (held) return keptBack(about, held);
  const messages = decideMessages(about);
  return [...messages, ...decideTask(about, messages)];
}

/** Somebody is at it: nothing stands in for what is not sent, and nobody need be told that it was not. */
const keptBack = (about: Circumstances, reason: Failure): Decision[] => [
  ...once(about.step.channels).map((channel) => notSent(channel, null, reason)),
  ...decideTask(about, []),
];

/** The customer is not written to by any channel; who works here is told from two weeks on. */
function decideSilently({ step, rung }: Pick<Circumstances, 'step' | 'rung'>): Decision[] {
  const messages = once(step.channels).map((channel) => notSent(channel, null, silent));
  const isNear = rungs.indexOf(rung) >= rungs.indexOf('14');
  return step.task && isNear ? [...messages, plannedTask(step.task, silent)] : messages;
}

/** Nobody is written to; what becomes of the task is seen when it is made. */
function cancelled({ channels, task }: Deed, reason: Failure): Decision[] {
  const messages = once(channels).map(
    (channel): Decision => ({ ...planned(channel, null), outcome: 'cancelled', reason }),
  );
  return task ? [...messages, plannedTask(task, null)] : messages;
}

function decideMessages({ step, fallThrough, renewal, card }: Circumstances): Decision[] {
  const all = reasonAgainstAll(card, renewal);
  if (all || !card) return once(step.channels).map((channel) => notSent(channel, null, all ?? unknownCustomer));
  const channels = channelsFor(card, step);
  const used = new Set(channels);
  return channels.flatMap((channel) => {
    const reason = reasonAgainst(channel, card);
    if (!reason) return [planned(channel, null)];
    return [notSent(channel, null, reason), ...standIn(channel, card, fallThrough, used)];
  });
}

const once = (channels: readonly OutsideType[]): OutsideType[] => [...new Set(channels)];

/** What the customer prefers takes the place of the plan's first channel, where it can be used. */
function channelsFor(card: CustomerCard, { channels: [first, ...others] }: Deed): OutsideType[] {
  if (!first) return [];
  const { preferred_channel: preferred } = card;
  return once([preferred && !reasonAgainst(preferred, card) ? preferred : first, ...others]);
}

/** The first in the plan's order that this alert does not use yet and that reaches the customer; and why others do not. */
export function standIn(
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

export const planned = (channel: OutsideType, instead_of: OutsideType | null): Decision => ({
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
export function decideTask(about: Pick<Circumstances, 'rung' | 'step'>, messages: readonly Decision[]): Decision[] {
  const { task } = about.step;
  const unreached = unreachedBecause(messages);
  if (unreached) return [plannedTask(priorityUnreached(about), unreached)];
  return task ? [plannedTask(task, null)] : [];
}

/** Of a task that says that nobody was reached: what the plan says from 14 on, and before that at least so much. */
export function priorityUnreached({ rung, step: { task } }: Pick<Circumstances, 'rung' | 'step'>): TaskPriority {
  if (task === null) return leastUnreached[rung];
  return rungs.indexOf(rung) < rungs.indexOf('14') ? moreUrgent(task, leastUnreached[rung]) : task;
}

const leastUnreached: Record<Rung, TaskPriority> = {
  '90': 'NORMAL',
  '60': 'NORMAL',
  '30': 'HIGH',
  '14': 'HIGH',
  '7': 'URGENT',
  OVERDUE: 'URGENT',
};

export const plannedTask = (priority: TaskPriority, reason: Failure | null): Decision => ({
  channel: 'TASK',
  outcome: 'planned',
  instead_of: null,
  reason,
  priority,
});

/** Why the customer hears nothing at all; null when a message goes out, or none was to. */
function unreachedBecause(messages: readonly Decision[]): Failure | null {
  const outcomes = new Set(messages.map(({ outcome }) => outcome));
  if (outcomes.has('planned') || !outcomes.has('not_sent') || messages.some(isWithheld)) return null;
  const reasons = new Set(messages.map(({ reason }) => reason?.message));
  return { code: 'nobody_written_to', message: `No message reaches the customer: ${[...reasons].join('; ')}` };
}

/** On purpose, and no sign that the customer cannot be reached. */
export const isWithheld = ({ reason }: Pick<Decision, 'reason'>): boolean =>
  reason !== null && withheldBecause.has(reason.code);

const withheldBecause: ReadonlySet<string> = new Set(['held', 'silent']);

const silent: Failure = {
  code: 'silent',
  message: 'The customer is not written to: the date was this near already when it was taken in',
};

const unknownCustomer: Failure = { code: 'unknown_customer', message: 'Nobody has described this customer yet' };

/** Why no channel at all is to be used. */
export function reasonAgainstAll(
  card: CustomerCard | undefined,
  { reminders }: Pick<Followed, 'reminders'>,
): Failure | null {
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

export const spoken: Record<OutsideType, string> = { MESSAGING_APP: 'messaging app', EMAIL: 'e-mail', SMS: 'SMS' };

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
  return channel === 'TASK' ? 'task' : carriers[instead_of ?? channel];
}

const carriers: Record<OutsideType | 'TASK', Carrier> = {
  MESSAGING_APP: 'messaging',
  SMS: 'messaging',
  EMAIL: 'email',
  TASK: 'task',
};
