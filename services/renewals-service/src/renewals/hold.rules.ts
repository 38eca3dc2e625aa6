import { addDays, daysBetween, type PlainDate } from '@ops/contracts/dates';
import type { Hold, RenewalStatus } from '@ops/contracts/resources/renewal';
import { nextStep, type Sequence } from './sequence.rules.ts';

/** What a renewal's row says of holds. */
export interface Holding {
  status: RenewalStatus;
  started_at: string | null;
  /** Reminders go on though somebody started it. */
  start_released: boolean;
  /** Of each the first day on which it holds no more. */
  acknowledged_until: PlainDate | null;
  answered_until: PlainDate | null;
}

/**
 * What holds a renewal that day. Of several the first in this order is named; it is free when all of them are over. One that
 * was completed or cancelled needs none.
 */
export function holdOn(renewal: Holding, today: PlainDate): Hold | null {
  const { status, started_at, start_released, acknowledged_until, answered_until } = renewal;
  if (status === 'COMPLETED' || status === 'CANCELLED') return null;
  if (started_at !== null && !start_released) return { because: 'started', until: null };
  const lasting = [acknowledged_until, answered_until].filter((until) => until !== null && until > today);
  const until = lasting.toSorted().at(-1);
  if (until === undefined) return null;
  return { because: lasting.includes(acknowledged_until) ? 'acknowledged' : 'answered', until };
}

/** Two that say the same need not be told apart. */
export const isSameHold = (one: Hold | null, other: Hold | null): boolean =>
  one?.because === other?.because && one?.until === other?.until;

const answerHoldsDays = 14;
/** From here on the date is too near to wait for anybody. */
const tooNearDays = 14;

/** What a customer's last answer, written that day, holds a renewal of that date until; null: nothing. */
export function answeredUntil(writtenOn: PlainDate | null, dueDate: PlainDate): PlainDate | null {
  if (writtenOn === null || daysBetween(writtenOn, dueDate) <= tooNearDays) return null;
  const ends = [addDays(writtenOn, answerHoldsDays), addDays(dueDate, -tooNearDays)];
  return ends.toSorted()[0] as PlainDate;
}

const longestAcknowledgedDays = 60;

/** What is wrong with acknowledging a renewal of that date until then; undefined: nothing. */
export function acknowledgeProblem(until: PlainDate, dueDate: PlainDate, today: PlainDate): string | undefined {
  const last = addDays(today, longestAcknowledgedDays);
  if (until <= today) return `must be after today, ${today}`;
  if (until > dueDate) return `must not be after the due date, ${dueDate}`;
  return until > last ? `must not be after ${last}, ${longestAcknowledgedDays} days from today` : undefined;
}

/** What a refresh has to do with a renewal besides its ladder. */
export interface Owing extends Holding {
  /** A hold kept a message back that nothing took the place of yet. */
  withheld: boolean;
  /** Of one whose newest alert met a customer whom nobody had described: whether somebody has since. Else null. */
  known_after_alert: boolean | null;
  sequence: Sequence | null;
}

/** A message that could not be sent in its time is to be sent as soon as it can. */
export const isOwed = ({ withheld, known_after_alert }: Pick<Owing, 'withheld' | 'known_after_alert'>): boolean =>
  withheld || known_after_alert === true;

/**
 * When a refresh looks at it next: when the ladder says so, when a step follows its alert, or when a message that is owed may
 * go. What nobody knows the end of is looked at when it is ended.
 */
export function nextLookOn(ladder: PlainDate | null, renewal: Owing, today: PlainDate): PlainDate | null {
  if (renewal.status === 'COMPLETED' || renewal.status === 'CANCELLED') return ladder;
  const hold = holdOn(renewal, today);
  const free = hold === null ? today : hold.until;
  const dates = [ladder, nextStep(renewal.sequence)?.on ?? null, isOwed(renewal) ? free : null];
  return dates.filter((date) => date !== null).toSorted()[0] ?? null;
}

/** What ends with a release. Answers that are linked from the next version on hold it again. */
export const released = ({ started_at, version }: { started_at: string | null; version: number }) => ({
  start_released: started_at !== null,
  ...notLookedAfter(version),
});

/** What a new date ends: nobody answered or acknowledged that one. Whoever started is at work all the same. */
export const notLookedAfter = (version: number) => ({
  acknowledged_until: null,
  acknowledged_note: null,
  acknowledged_by: null,
  acknowledged_at: null,
  answered_until: null,
  answers_from: version + 1,
});

/** How often a hold had kept something back of that rung before is in the name: each time is one more message. */
export const afterHold = (before: number): string => (before === 0 ? 'after_hold' : `after_hold_${before + 1}`);
