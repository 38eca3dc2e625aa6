import type { Failure } from '@ops/contracts/resources/communication';
import type { Deed } from '@ops/contracts/resources/outreach';
import { type Rung, rungs } from '@ops/contracts/resources/renewal';
import { againstLeaving, type Followed, heldBecause, mootBecause } from '../followed/followed.rules.ts';
import { taskMootBecause } from '../tasks/task.rules.ts';
import type { Heard } from './heard.rules.ts';
import { type Carrier, carrierOf, type Decision, isMessage, type Message, superseded } from './planning.rules.ts';

/** What was decided for one channel of one alert. */
export interface Action extends Decision {
  id: string;
  renewal_id: string;
  due_date: string;
  rung: Rung;
  step: string;
  /** Of a step that follows its alert: what it does, as the plan had it when the alert fired. */
  does: Deed | null;
  customer_id: string;
  /** As the renewal's service type was called when the alert fired. */
  service_label: string;
  /** And by language. */
  service_labels: Record<string, string>;
  carried_out: boolean;
  send_after: Date | null;
  /** What it waits for until then. */
  send_after_reason: Failure | null;
  task_id: string | null;
  /** Of a message: how far it came. */
  heard: Heard | null;
  /** When it was given up, and another channel looked for. */
  given_up_at: Date | null;
  /** Of its policy or permit. */
  number: string | null;
  /** Of a message, what it is told together with: the refresh that fired it, or the letter whose place it takes. */
  together: string | null;
  /** The letter it went into. */
  letter_id: string | null;
  trace: Trace | null;
}

/** From the night's refresh to the customer's phone. */
interface Trace {
  requestId: string;
  traceparent: string;
}

/** The record of a message: its letter's, or its own. */
export const recordOf = ({ id, letter_id }: Pick<Action, 'id' | 'letter_id'>): string => letter_id ?? id;

export interface AlertKey {
  renewal_id: string;
  due_date: string;
  rung: Rung;
  /** Which message of its rung; `0` is the alert itself. */
  step: string;
}

export const keyOf = ({ renewal_id, due_date, rung, step }: AlertKey): string =>
  `${renewal_id} ${due_date} ${rung} ${step}`;

/** What is to be done of an alert, as it was decided. */
export const newAction = (id: string, decision: Decision, about: Alerted, together: string | null = null): Action => {
  const { renewal_id, due_date, rung, step, does, customer_id, service_label, service_labels, number } = about;
  return {
    id,
    renewal_id,
    due_date,
    rung,
    step,
    does,
    customer_id,
    service_label,
    service_labels,
    ...decision,
    carried_out: false,
    send_after: null,
    send_after_reason: null,
    task_id: null,
    heard: null,
    given_up_at: null,
    number,
    together,
    letter_id: null,
    trace: about.trace ?? null,
  };
};

type Alerted = Pick<
  Action,
  'renewal_id' | 'due_date' | 'rung' | 'step' | 'does' | 'customer_id' | 'service_label' | 'service_labels' | 'number'
> & { trace?: Trace | null };

/** Of what was decided now, what had not been decided of the alert before. */
export const notYet = (before: readonly Action[], decisions: readonly Decision[]): Decision[] =>
  decisions.filter((one) => !before.some(({ channel }) => channel === one.channel));

/**
 * What had been decided, after what was decided now: a task that is there already is not made twice; what it has to say more
 * is noted in it, and it is to be carried out again.
 */
export const noted = (before: readonly Action[], decisions: readonly Decision[]): Action[] =>
  before.map((known) => {
    const more = decisions.find(({ channel }) => channel === known.channel);
    if (more?.outcome !== 'planned' || !more.reason) return known;
    return { ...known, outcome: more.outcome, priority: more.priority, reason: more.reason, carried_out: false };
  });

/** These actions in the place of what they were. */
export const replaced = (actions: readonly Action[], changed: readonly Action[]): Action[] =>
  actions.map((one) => changed.find(({ id }) => id === one.id) ?? one);

/** A task that is to say that nobody was written to. Whoever finds that out says so, since the task's own queue may have had its turn. */
export const isUnsaid = ({ channel, outcome, reason, carried_out }: Action): boolean =>
  channel === 'TASK' && outcome === 'planned' && reason !== null && !carried_out;

export const asksForTask = ({ channel, outcome }: Pick<Action, 'channel' | 'outcome'>): boolean =>
  channel === 'TASK' && outcome === 'planned';

/** A message that is to be told together with others, and is no queue's to carry out. */
export const isToWrite = (action: Action): action is Action & Message =>
  isMessage(action) && action.together !== null && !action.carried_out;

export const waitsForLetter = (action: Action): action is Action & Message =>
  isToWrite(action) && action.outcome === 'planned';

export const isTurnOf = (carrier: Carrier, action: Action): boolean =>
  isUnsaid(action) || (!action.carried_out && !waitsForLetter(action) && carrierOf(action) === carrier);

/** It may have been decided by another queue, or long ago: the renewal was closed since, or something more urgent said. */
export function unlessPointless(action: Action, renewal: Followed, tighter: Rung | undefined, today: string): Action {
  if (action.outcome !== 'planned') return action;
  const reason =
    action.channel === 'TASK'
      ? taskMootBecause(renewal, action, today)
      : (mootBecause(renewal, action.due_date) ??
        heldBecause(renewal, today) ??
        (tighter ? superseded(tighter) : null));
  return reason ? { ...action, outcome: 'cancelled', reason } : action;
}

/** What was decided of alerts, by the renewal and the date that they are about. */
export type Decided = ReadonlyMap<string, readonly Action[]>;
/** Kept up with what is done about them. */
export type KeptUp = Map<string, readonly Action[]>;

type About = Pick<AlertKey, 'renewal_id' | 'due_date'>;

export const byDate = (actions: readonly Action[]): KeptUp => Map.groupBy(actions, dateOf);

const dateOf = ({ renewal_id, due_date }: About): string => `${renewal_id} ${due_date}`;

export const decidedAbout = (about: About, decided: Decided): readonly Action[] => decided.get(dateOf(about)) ?? [];

export const decidedOf = (alert: AlertKey, decided: Decided): readonly Action[] =>
  decidedAbout(alert, decided).filter((one) => keyOf(one) === keyOf(alert));

/** These in the place of what had been decided of the alert. */
export function keepUp(decided: KeptUp, alert: AlertKey, actions: readonly Action[]): void {
  const others = decidedAbout(alert, decided).filter((one) => keyOf(one) !== keyOf(alert));
  decided.set(dateOf(alert), [...others, ...actions]);
}

/** Why the message of an alert does not leave any more; a tighter one may have been planned while staff had it sent again. */
export function againstMessage(
  alert: Omit<AlertKey, 'step'>,
  renewal: Parameters<typeof againstLeaving>[0],
  decided: Decided,
  { attempt, today }: { attempt: number; today: string },
): Failure | null {
  const tighter = tighterThan(alert, decided);
  return againstLeaving(renewal, alert.due_date, attempt, today) ?? (tighter ? superseded(tighter) : null);
}

/** The most urgent of the tighter alerts about the same date that write to the customer. */
export function tighterThan(alert: Omit<AlertKey, 'step'>, decided: Decided): Rung | undefined {
  const about = decidedAbout(alert, decided).filter(writes);
  const tighter = rungs.slice(rungs.indexOf(alert.rung) + 1);
  return tighter.findLast((one) => about.some((action) => action.rung === one));
}

export type Newest = Pick<Action, 'rung' | 'step' | 'does'>;

/** The newest about that date, whatever came of it: of the tightest rung that fired the step that was decided last. */
export function newestAlert(date: About, decided: Decided): Newest | undefined {
  const about = decidedAbout(date, decided);
  const rung = rungs.findLast((one) => about.some((action) => action.rung === one));
  const ofRung = about.filter((one) => one.rung === rung).sort((a, b) => (a.id < b.id ? -1 : 1));
  const step = [...new Set(ofRung.map(({ step }) => step))].at(-1);
  return ofRung.find((one) => one.step === step);
}

const writes = (action: Action): boolean => isMessage(action) && action.outcome === 'planned';

/** Messages that were handed over, and are of less use than what a tighter alert says. */
export const overtaken = (decided: Decided): { action: Action; by: Rung }[] =>
  [...decided.values()].flat().flatMap((action) => {
    const by = writes(action) && action.carried_out ? tighterThan(action, decided) : undefined;
    return by ? [{ action, by }] : [];
  });
