import type { Failure } from '@ops/contracts/resources/communication';
import { type Followed, mootBecause } from '../followed/followed.rules.ts';
import { type Action, type Decided, decidedOf, type Newest, newestAlert } from './alert-actions.rules.ts';
import { hasArrived } from './heard.rules.ts';
import {
  type Circumstances,
  type Decision,
  isMessage,
  isWithheld,
  type Message,
  plannedTask,
  priorityUnreached,
  reasonAgainstAll,
  spoken,
  standIn,
  superseded,
} from './planning.rules.ts';

type Sent = Pick<Action & Message, 'channel' | 'outcome' | 'reason' | 'heard'>;

/** What a message came to, for its alert. `perhaps`: nobody knows, and nobody will. `withheld`: on purpose, and for now. */
type Fate = 'reached' | 'under_way' | 'failed' | 'perhaps' | 'unsent' | 'withheld';

const hourMs = 3_600_000;

/** From when on a message of which nothing more is heard is given up. Null: something more is not to be expected. */
export function givenUpFrom({ channel, heard }: Pick<Action, 'channel' | 'heard'>): Date | null {
  if (heard?.status === 'UNCERTAIN') return after(heard.at, 24);
  return heard?.status === 'SENT' && channel === 'MESSAGING_APP' ? after(heard.at, 72) : null;
}

const after = (at: string, hours: number): Date => new Date(Date.parse(at) + hours * hourMs);

/** Something more is to be expected of it, and there is time for that. */
export function isAwaited(message: Pick<Action, 'channel' | 'heard'>, now: Date): boolean {
  const limit = givenUpFrom(message);
  return limit !== null && now < limit;
}

/** The messaging app confirms what arrives. E-mail and SMS seldom do: what was sent counts until a failure is heard. */
function fateOf(message: Sent, now: Date): Fate {
  const { heard, outcome } = message;
  if (hasReached(message)) return 'reached';
  if (isAwaited(message, now)) return 'under_way';
  if (heard) return heard.status === 'UNCERTAIN' ? 'perhaps' : 'failed';
  if (outcome === 'planned') return 'under_way';
  return isWithheld(message) ? 'withheld' : 'unsent';
}

/** By what was heard alone, whenever it is asked. */
export const hasReached = ({ channel, heard }: Pick<Sent, 'channel' | 'heard'>): boolean =>
  heard !== null && (hasArrived(heard) || (heard.status === 'SENT' && channel !== 'MESSAGING_APP'));

/** Why a message of this alert says what does not hold any more. `newest`: of those about the present date. */
export function overtakenBecause(
  alert: Pick<Action, 'due_date' | 'rung' | 'step'>,
  renewal: Pick<Followed, 'status' | 'due_date'>,
  newest: Newest | undefined,
): Failure | null {
  const moot = mootBecause(renewal, alert.due_date);
  if (moot || !newest) return moot;
  if (newest.rung !== alert.rung) return superseded(newest.rung);
  if (newest.step === alert.step) return null;
  const isCallAlone = newest.does?.channels.length === 0;
  return { code: 'superseded', message: isCallAlone ? calledByNow : 'A later message of this alert took its place' };
}

const calledByNow = 'By now somebody is to call the customer about it';

/** What was decided of the newest alert about a renewal's date; nothing when nothing is to be done about that any more. */
export function newestOf(
  renewal: Pick<Followed, 'renewal_id' | 'status' | 'due_date'>,
  decided: Decided,
): readonly Action[] {
  const newest = newestAlert(renewal, decided);
  if (mootBecause(renewal, renewal.due_date) || !newest) return [];
  return decidedOf({ ...renewal, ...newest }, decided);
}

/** What is done about an alert by what its messages came to. */
export interface Ending {
  /** Messages whose failure this answers. */
  givenUp: (Action & Message)[];
  decisions: Decision[];
}

/**
 * Each failure is followed by the next channel that reaches the customer and that this alert does not use yet, unless another
 * message of it has reached them; where none is left, or nobody will know, by the task that says what was tried. Where a hold
 * kept one back, the alert is sent once more after it, and that counts.
 */
export function decideEnd(
  alert: readonly Action[],
  about: Omit<Circumstances, 'dueDate' | 'today' | 'silent'>,
  now: Date,
): Ending {
  const messages = alert.filter(isMessage);
  const fates = new Set(messages.map((one) => fateOf(one, now)));
  if (fates.has('reached') || fates.has('withheld')) return { givenUp: [], decisions: [] };
  const givenUp = messages.filter((one) => one.given_up_at === null && fateOf(one, now) === 'failed');
  const others = standInsFor(givenUp, messages, about);
  const isGoing = fates.has('under_way') || others.some(({ outcome }) => outcome === 'planned');
  const isOver = messages.length > 0 && (fates.has('perhaps') || !isGoing);
  if (!isOver) return { givenUp, decisions: others };
  const reason = nobodyReached([...messages, ...others.filter(isMessage).map(unheard)], now);
  return { givenUp, decisions: [...others, plannedTask(priorityUnreached(about), reason)] };
}

/** What its place takes is told together: of several letters the one that is the first for each renewal that they name. */
export const letterOf = (givenUp: readonly Pick<Action, 'letter_id'>[]): string | null =>
  givenUp.flatMap(({ letter_id }) => letter_id ?? []).toSorted()[0] ?? null;

const unheard = (decision: Message): Sent => ({ ...decision, heard: null });

function standInsFor(
  givenUp: readonly Message[],
  messages: readonly Message[],
  { fallThrough, renewal, card }: Omit<Circumstances, 'dueDate' | 'today' | 'silent'>,
): Decision[] {
  if (!card || reasonAgainstAll(card, renewal)) return [];
  const used = new Set(messages.map(({ channel }) => channel));
  return givenUp.flatMap(({ channel, instead_of }) => standIn(instead_of ?? channel, card, fallThrough, used));
}

/** Whether an alert has neither reached the customer, nor is about to, nor told anybody here. */
export function lacksEnd(alert: readonly Action[], now: Date): boolean {
  const fates = new Set(alert.filter(isMessage).map((one) => fateOf(one, now)));
  const isSettled = (['reached', 'under_way', 'withheld'] as const).some((fate) => fates.has(fate));
  return fates.size > 0 && !isSettled && !alert.some(saysUnreached);
}

/** A task that says already that nobody was reached. */
export const saysUnreached = ({ channel, outcome, reason }: Pick<Action, 'channel' | 'outcome' | 'reason'>): boolean =>
  channel === 'TASK' && outcome === 'planned' && reason !== null && unreached.has(reason.code);

const unreached: ReadonlySet<string> = new Set(['nobody_reached', 'nobody_written_to']);

function nobodyReached(messages: readonly Sent[], now: Date): Failure {
  const tried = messages.map((one) => `${capital(spoken[one.channel])}: ${inWords(one, now)}.`);
  const code = messages.some(({ outcome }) => outcome === 'planned') ? 'nobody_reached' : 'nobody_written_to';
  return { code, message: `No message reached the customer. ${tried.join(' ')}` };
}

function inWords(message: Sent, now: Date): string {
  const { reason, heard } = message;
  if (reason) return reason.message;
  const fate = fateOf(message, now);
  if (fate === 'perhaps') return 'perhaps sent, which nobody knows';
  if (fate === 'under_way') return 'under way';
  return heard?.failure ? `failed (${heard.failure.message})` : 'sent, but not confirmed within 72 hours';
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
