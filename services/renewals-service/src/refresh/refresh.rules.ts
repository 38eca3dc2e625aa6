import { daysBetween, type PlainDate } from '@ops/contracts/dates';
import type { Deed } from '@ops/contracts/resources/outreach';
import type { RefreshCounts } from '@ops/contracts/resources/refresh';
import type { Hold, RenewalStatus, Rung } from '@ops/contracts/resources/renewal';
import type { ServiceType } from '@ops/contracts/resources/service-type';
import { afterHold, holdOn, nextLookOn, type Owing } from '../renewals/hold.rules.ts';
import { type Decision, decide, isSilent, nextAlertOn, reached } from '../renewals/rungs.rules.ts';
import {
  begun,
  type DueSteps,
  dueSteps,
  endedBy,
  givenUp,
  type OutreachPlan,
  type PassedOverStep,
  type Sequence,
  type SequenceStep,
} from '../renewals/sequence.rules.ts';

/** An active renewal as a refresh reads it. */
export interface ActiveRenewal extends Owing {
  id: string;
  customer_id: string;
  written_under: string | null;
  service_type: string;
  service_label: string;
  service_labels: ServiceType['labels'];
  due_date: PlainDate;
  status: RenewalStatus;
  policy_id: string | null;
  /** Of the policy or permit. */
  number: string | null;
  assigned_agent: string | null;
  reminders: boolean;
  version: number;
  /** What the ledger holds for this due date, fired or superseded. */
  recorded: Rung[];
  /** Up to which rung its date came silently. */
  silent_through: Rung | null;
  /** What an earlier version passed over is not in `recorded`, and is to be taken out of the ledger first. */
  silenced: boolean;
  /** Of one that owes a message: the rungs of this date that were sent after a hold before, each as often as it was. */
  sent_after_hold: Rung[];
  /** And those that were told to the customer once somebody had described them. */
  sent_once_known: Rung[];
}

/** What follows an alert that fired before. */
export interface Outreach {
  rung: Rung;
  step: string;
  /** Null: what its rung does. */
  does: Deed | null;
}

/** What is decided by. */
export type Treatable = Owing &
  Pick<ActiveRenewal, 'due_date' | 'recorded' | 'silent_through' | 'sent_after_hold' | 'sent_once_known'>;

/** What a refresh makes of one renewal. */
export interface Treatment<Of extends Treatable = ActiveRenewal> extends Decision {
  renewal: Of;
  days_until_due: number;
  hold: Hold | null;
  /** What is owed, or the step that is due, when no rung fires that says it better. */
  outreach: Outreach | null;
  /** Steps that go no more. */
  passedOver: PassedOverStep[];
  sequence: Sequence | null;
  withheld: boolean;
  known_after_alert: boolean | null;
  /** The customer is not to be written to of what fires, or was kept back. */
  silent: boolean;
  becomesOverdue: boolean;
  next_alert_on: PlainDate | null;
}

/** Rungs fire while it is held as they would without: what becomes of their messages is for others to say. */
export function treat<Of extends Treatable>(renewal: Of, as_of: PlainDate, plan: OutreachPlan): Treatment<Of> {
  const { due_date, recorded, status, silent_through } = renewal;
  const days_until_due = daysBetween(as_of, due_date);
  const { fire, supersede } = decide(days_until_due, recorded);
  const decided = [...recorded, ...supersede, ...(fire ? [fire] : [])];
  const isOverdue = days_until_due < 0;
  const ladder = nextAlertOn(due_date, decided, isOverdue || status === 'OVERDUE');
  const becomesOverdue = isOverdue && status !== 'OVERDUE';
  const hold = holdOn(renewal, as_of);
  const owed = fire === null && hold === null ? owedMessage(renewal, days_until_due) : null;
  const follows =
    fire === null ? goOn(renewal, hold, as_of, owed !== null) : beginAnew(renewal, fire, hold, as_of, plan);
  const outreach = owed ?? (follows.goes && asOutreach(follows.goes));
  const said = fire ?? outreach?.rung;
  const silent = said !== undefined && isSilent(said, silent_through);
  const left = { sequence: follows.sequence, ...stillOwed(renewal, fire, hold) };
  const next_alert_on = nextLookOn(ladder, { ...renewal, ...left }, as_of);
  const decisions = { fire, silent, supersede, outreach, passedOver: follows.passedOver, becomesOverdue };
  return { renewal, days_until_due, hold, ...decisions, ...left, next_alert_on };
}

const asOutreach = ({ rung, step, does }: SequenceStep): Outreach => ({ rung, step, does });

/** The tightest rung reached stands for whatever could not be sent in its time. */
function owedMessage(renewal: Treatable, daysUntilDue: number): Outreach | null {
  const rung = reached(daysUntilDue).at(-1);
  if (rung === undefined) return null;
  const { withheld, known_after_alert, sent_after_hold, sent_once_known } = renewal;
  if (withheld) return { rung, step: afterHold(sent_after_hold.filter((one) => one === rung).length), does: null };
  const isNews = known_after_alert === true && !sent_once_known.includes(rung);
  return isNews ? { rung, step: 'customer_known', does: null } : null;
}

const stillOwed = ({ withheld, known_after_alert }: Treatable, fire: Rung | null, hold: Hold | null) => ({
  withheld: withheld && hold !== null,
  known_after_alert: fire !== null || (known_after_alert === true && hold === null) ? null : known_after_alert,
});

/** What the last alert is followed by. Whoever began to hold it had ended that. */
function goOn({ sequence, due_date }: Treatable, hold: Hold | null, as_of: PlainDate, instead: boolean): DueSteps {
  const present = sequence?.due_date === due_date ? sequence : endedBy(sequence, 'moved');
  return dueSteps(hold === null ? present : endedBy(present, hold.because), as_of, instead);
}

/** Somebody is at a renewal that is held, and of a date that came in silently the customer is not to hear. */
function beginAnew(
  { sequence, due_date, silent_through }: Treatable,
  fire: Rung,
  hold: Hold | null,
  as_of: PlainDate,
  plan: OutreachPlan,
): DueSteps {
  const isNeeded = hold === null && !isSilent(fire, silent_through);
  return {
    goes: null,
    passedOver: givenUp(sequence),
    sequence: isNeeded ? begun(plan, fire, due_date, as_of) : null,
  };
}

export const nothingYet: RefreshCounts = {
  looked_at: 0,
  fired: 0,
  superseded: 0,
  became_overdue: 0,
  set_aside: 0,
  by_rung: {},
  outreach: 0,
};

export function countsOf(treatments: readonly Treatment[]): RefreshCounts {
  const fired = treatments.flatMap(({ fire }) => fire ?? []);
  const by_rung: RefreshCounts['by_rung'] = {};
  for (const rung of fired) by_rung[rung] = (by_rung[rung] ?? 0) + 1;
  return {
    looked_at: treatments.length,
    fired: fired.length,
    superseded: treatments.reduce((sum, { supersede }) => sum + supersede.length, 0),
    became_overdue: treatments.filter(({ becomesOverdue }) => becomesOverdue).length,
    set_aside: 0,
    by_rung,
    outreach: treatments.filter(({ outreach }) => outreach !== null).length,
  };
}

export function addUp(one: RefreshCounts, other: RefreshCounts): RefreshCounts {
  const by_rung = { ...one.by_rung };
  for (const [rung, count] of Object.entries(other.by_rung) as [Rung, number][])
    by_rung[rung] = (by_rung[rung] ?? 0) + count;
  return {
    looked_at: one.looked_at + other.looked_at,
    fired: one.fired + other.fired,
    superseded: one.superseded + other.superseded,
    became_overdue: one.became_overdue + other.became_overdue,
    set_aside: one.set_aside + other.set_aside,
    by_rung,
    outreach: one.outreach + other.outreach,
  };
}
