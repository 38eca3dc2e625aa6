import { addDays, type PlainDate } from '@ops/contracts/dates';
import type { Deed, OutreachStep, SkipReason } from '@ops/contracts/resources/outreach';
import type { Alert, RenewalDetail, Rung } from '@ops/contracts/resources/renewal';

/** What follows the alerts of each rung, as the alert plan has it. */
export type OutreachPlan = Readonly<Partial<Record<Rung, readonly OutreachStep[]>>>;

/**
 * The steps that follow an alert, as the plan had them when it fired. One that is over stays beside its renewal until the next
 * rung fires, so that anybody sees why nothing more came, and so that what had ended it can be taken back.
 */
export interface Sequence {
  due_date: PlainDate;
  rung: Rung;
  /** The night in which the alert fired. */
  began_on: PlainDate;
  steps: readonly OutreachStep[];
  /** How many of them, from the first, have gone or were passed over. */
  decided: number;
  ended: SkipReason | null;
}

/** One step of a sequence, by its name in the ledger. */
export interface SequenceStep {
  due_date: PlainDate;
  rung: Rung;
  step: string;
  on: PlainDate;
  does: Deed;
}

export type PassedOverStep = Pick<SequenceStep, 'due_date' | 'rung' | 'step'> & { because: SkipReason };

/** Null: nothing follows that rung. */
export function begun(plan: OutreachPlan, rung: Rung, due_date: PlainDate, began_on: PlainDate): Sequence | null {
  const steps = plan[rung] ?? [];
  return steps.length === 0 ? null : { due_date, rung, began_on, steps, decided: 0, ended: null };
}

const stepsOf = ({ due_date, rung, began_on, steps }: Sequence): SequenceStep[] =>
  steps.map(({ after_days, channels, task }, n) => ({
    due_date,
    rung,
    step: String(n + 1),
    on: addDays(began_on, after_days),
    does: { channels, task },
  }));

const undecided = (sequence: Sequence): SequenceStep[] => stepsOf(sequence).slice(sequence.decided);

/** The next to go; undefined when it is over, or all have gone. */
export const nextStep = (sequence: Sequence | null): SequenceStep | undefined =>
  sequence === null || sequence.ended !== null ? undefined : undecided(sequence)[0];

export interface DueSteps {
  /** After missed nights only the latest. */
  goes: SequenceStep | null;
  passedOver: PassedOverStep[];
  sequence: Sequence | null;
}

/** What of it is to go that night. `instead`: something else goes to the customer, in the place of whatever is due. */
export function dueSteps(sequence: Sequence | null, tonight: PlainDate, instead: boolean): DueSteps {
  if (sequence === null || sequence.ended !== null) return { goes: null, passedOver: [], sequence };
  const due = undecided(sequence).filter(({ on }) => on <= tonight);
  const goes = (instead ? undefined : due.at(-1)) ?? null;
  const passed = due.filter((one) => one !== goes);
  return {
    goes,
    passedOver: passed.map((one) => passedOver(one, 'later_step')),
    sequence: { ...sequence, decided: sequence.decided + due.length },
  };
}

/** Another sequence, or none, takes its place: what of it did not go never will. */
export const givenUp = (sequence: Sequence | null): PassedOverStep[] =>
  sequence === null ? [] : undecided(sequence).map((one) => passedOver(one, sequence.ended ?? 'next_rung'));

const passedOver = ({ due_date, rung, step }: SequenceStep, because: SkipReason): PassedOverStep => ({
  due_date,
  rung,
  step,
  because,
});

/** Whatever ends it first counts; what has gone to its last step needs no end. */
export const endedBy = (sequence: Sequence | null, because: SkipReason): Sequence | null =>
  sequence === null || nextStep(sequence) === undefined ? sequence : { ...sequence, ended: because };

/** What had ended it was taken back. */
export const resumed = (sequence: Sequence | null, because: SkipReason): Sequence | null =>
  sequence?.ended === because ? { ...sequence, ended: null } : sequence;

/** When the customer wrote about it, as far as that concerns its outreach. */
export interface Answered {
  /** The last day on which the customer did; null: never, or what they wrote was about something else. */
  writtenOn: PlainDate | null;
  /** What they wrote holds the renewal. */
  holds: boolean;
}

/**
 * An answer ends it, also where it holds nothing, and of one that is over also should that be reopened; one that was not about
 * this renewal after all does not.
 */
export function answeredIn(sequence: Sequence | null, { writtenOn, holds }: Answered): Sequence | null {
  if (sequence === null) return null;
  const isAnswered = holds || (writtenOn !== null && writtenOn >= sequence.began_on);
  return isAnswered ? endedBy(resumed(sequence, 'closed'), 'answered') : resumed(sequence, 'answered');
}

/** With what the ledger holds of its steps. */
export function shownSequence(sequence: Sequence | null, alerts: readonly Alert[]): RenewalDetail['sequence'] {
  if (sequence === null) return null;
  const { rung, began_on, ended, due_date } = sequence;
  const ofSequence = alerts.filter((one) => one.rung === rung && one.due_date === due_date);
  const steps = stepsOf(sequence).map(({ step, on, does }) => {
    const decided = ofSequence.find((one) => one.step === step);
    const { state, because } = decided ?? { state: ended === null ? 'TO_COME' : 'ENDED', because: ended };
    return { step, on, ...does, state, because };
  });
  return { rung, began_on, ended, steps };
}
