import { daysBetween, type PlainDate } from '@ops/contracts/dates';
import {
  type CancelReason,
  type QueuedRenewal,
  type Renewal,
  type RenewalStatus,
  type Rung,
  rungs,
} from '@ops/contracts/resources/renewal';
import type { Responsible } from '@ops/contracts/responsible';
import { holdOn, isOwed, nextLookOn, notLookedAfter } from './hold.rules.ts';
import { isSilent, nextAlertOn, reached } from './rungs.rules.ts';
import { endedBy, nextStep, resumed, type Sequence } from './sequence.rules.ts';
import { type Anchored, anchoredAt, nextTerm } from './terms.rules.ts';

type ActiveStatus = 'UPCOMING' | 'IN_PROGRESS' | 'OVERDUE';

/** A renewal as it is stored; `days_until_due` is counted when it is read. */
export interface StoredRenewal
  extends Omit<Renewal, 'responsible_agent' | 'reminders' | 'source' | 'hold' | 'acknowledged' | 'cancelled_because'>,
    Anchored {
  /** The id of its customer it was made under, where that is or was another. */
  written_under: string | null;
  /** As last told of the customer. */
  customer_agent: string | null;
  reminders: boolean;
  source_kind: string | null;
  source_id: string | null;
  /** The version of the successor, as completing this one left it. */
  successor_version: number | null;
  /** True: completing this one made the successor, or completing another that was reopened since. False: it was there before. */
  successor_made: boolean | null;
  closed_from: ActiveStatus | null;
  reopened_at: string | null;
  next_alert_on: PlainDate | null;
  /** Up to which rung its date came silently. */
  silent_through: Rung | null;
  /** An earlier version passed rungs of this date over with nobody told: the next refresh decides on them again. */
  silenced: boolean;
  created_on: PlainDate;
  start_released: boolean;
  acknowledged_until: PlainDate | null;
  acknowledged_note: string | null;
  acknowledged_by: string | null;
  acknowledged_at: string | null;
  answered_until: PlainDate | null;
  /** Answers that were linked before this version hold it no more. */
  answers_from: number;
  withheld: boolean;
  known_after_alert: boolean | null;
  sequence: Sequence | null;
  cancel_reason: CancelReason | null;
  cancel_note: string | null;
}

/** What a change writes; instants are written as Dates and read as text. */
export interface RenewalChange
  extends Partial<
    Pick<
      StoredRenewal,
      | ('due_date' | 'anchor_day' | 'status' | 'policy_id' | 'notes' | 'assigned_agent' | 'reminders')
      | ('predecessor_id' | 'successor_id' | 'successor_version' | 'successor_made' | 'closed_from' | 'next_alert_on')
      | ('source_kind' | 'source_id' | 'silent_through')
      | ('start_released' | 'acknowledged_until' | 'acknowledged_note' | 'acknowledged_by' | 'answered_until')
      | ('answers_from' | 'withheld' | 'known_after_alert' | 'sequence' | 'cancel_reason' | 'cancel_note')
    >
  > {
  started_at?: Date | null;
  closed_at?: Date | null;
  reopened_at?: Date | null;
  acknowledged_at?: Date | null;
}

/** A change, nothing because it is so already, or why it cannot be. */
export type Step = { change: RenewalChange } | 'same' | { refused: string };

export const isClosed = (status: RenewalStatus): status is 'COMPLETED' | 'CANCELLED' =>
  status === 'COMPLETED' || status === 'CANCELLED';

export const refusedWhen = (status: RenewalStatus): Step => ({ refused: `The renewal is ${status}` });

/** An overdue one stays overdue whoever works on it: its date has passed all the same. */
export function start(renewal: StoredRenewal, now: Date): Step {
  const { status, started_at } = renewal;
  if (isClosed(status)) return refusedWhen(status);
  if (started_at !== null) return 'same';
  const started = { started_at: now, status: status === 'OVERDUE' ? status : ('IN_PROGRESS' as const) };
  return { change: { ...started, ...withoutOutreach(renewal) } };
}

/** Nothing follows the last alert any more: until the next rung, or what is owed, there is nothing to do. */
function withoutOutreach(renewal: StoredRenewal): RenewalChange {
  const sequence = endedBy(renewal.sequence, 'started');
  if (sequence === null || sequence === renewal.sequence) return {};
  return { sequence, next_alert_on: ladderAfter(sequence, renewal.status) };
}

/** Of a sequence that was going on: its rung and all looser ones were decided on, and no tighter one. */
const ladderAfter = ({ due_date, rung }: Sequence, status: RenewalStatus): PlainDate | null =>
  nextAlertOn(due_date, rungs.slice(0, rungs.indexOf(rung) + 1), status === 'OVERDUE');

export function close({ status, sequence }: StoredRenewal, to: 'COMPLETED' | 'CANCELLED', now: Date): Step {
  if (status === to) return 'same';
  if (isClosed(status)) return refusedWhen(status);
  const over = { closed_at: now, closed_from: status, next_alert_on: null, sequence: endedBy(sequence, 'closed') };
  return { change: { status: to, ...over } };
}

export interface BeforeReopening {
  /** Somebody, or an alert, has to do with what followed it. */
  successorTouched: boolean;
  /** What the ledger holds for its date. */
  recorded: readonly Rung[];
  today: PlainDate;
}

/** Back to what it was; a date that passed meanwhile is the next refresh's business. */
export function reopen(renewal: StoredRenewal, before: BeforeReopening, now: Date): Step {
  const { successorTouched, recorded, today } = before;
  const { closed_from, reopened_at } = renewal;
  if (closed_from === null) return reopened_at === null ? refusedWhen(renewal.status) : 'same';
  if (successorTouched) return { refused: 'What followed it was changed or alerted since' };
  const ladder = nextAlertOn(renewal.due_date, recorded, closed_from === 'OVERDUE');
  const sequence = resumed(renewal.sequence, 'closed');
  return {
    change: {
      status: closed_from,
      sequence,
      closed_at: null,
      closed_from: null,
      cancel_reason: null,
      cancel_note: null,
      reopened_at: now,
      successor_id: null,
      successor_version: null,
      successor_made: null,
      next_alert_on: nextLookOn(ladder, { ...renewal, status: closed_from, sequence }, today),
    },
  };
}

/** Moved to today or later it is not overdue any more; moved into the past, the next refresh finds that it is. */
const statusAt = ({ status, started_at }: StoredRenewal, dueDate: PlainDate, today: PlainDate): RenewalStatus =>
  status === 'OVERDUE' && dueDate >= today ? statusOf(started_at) : status;

const statusOf = (startedAt: string | null): ActiveStatus => (startedAt === null ? 'UPCOMING' : 'IN_PROGRESS');

/**
 * Rungs that are reached under the new date and were decided on under the old one: the customer has heard of them. All
 * others are armed again.
 */
export const carriedOver = (before: readonly Rung[], dueDate: PlainDate, today: PlainDate): Rung[] =>
  reached(daysBetween(today, dueDate)).filter((rung) => before.includes(rung));

export interface Moving {
  due_date: PlainDate;
  /** Up to which rung the new date comes silently; left out: what was to be silent about the old one stays so. */
  silent_through?: Rung | null | undefined;
}

/** What a hold kept back under the old date is told of the new one, if that is near too. */
export function move(renewal: StoredRenewal, to: Moving, recorded: readonly Rung[], today: PlainDate) {
  const { due_date, silent_through: wanted = renewal.silent_through } = to;
  const daysUntilDue = daysBetween(today, due_date);
  const status = statusAt(renewal, due_date, today);
  const silent_through = stillSilent(wanted, recorded, daysUntilDue);
  const isNear = reached(daysUntilDue).length > 0;
  const owed = {
    withheld: renewal.withheld && isNear,
    known_after_alert: isNear ? renewal.known_after_alert : null,
    sequence: endedBy(renewal.sequence, 'moved'),
  };
  const kept = { status, silent_through, ...owed, ...notLookedAfter(renewal.version) };
  const changed = { ...anchoredAt(due_date, renewal.anchor_day), ...kept };
  const ladder = nextAlertOn(due_date, recorded, status === 'OVERDUE');
  return { ...changed, next_alert_on: nextLookOn(ladder, { ...renewal, ...changed }, today) };
}

/** Of what is reached under the new date and not decided on: what the new date arms again is no longer silent. */
const stillSilent = (silentThrough: Rung | null, recorded: readonly Rung[], daysUntilDue: number): Rung | null =>
  reached(daysUntilDue).findLast((rung) => isSilent(rung, silentThrough) && !recorded.includes(rung)) ?? null;

export interface Completion {
  next_due_date?: PlainDate | undefined;
  create_next?: boolean | undefined;
}

export interface FieldProblem {
  path: string;
  message: string;
}

/** When what follows it is due; null: nothing does. */
export function following(
  renewal: Anchored,
  { next_due_date, create_next }: Completion,
  months: number | null,
  today: PlainDate,
): { next: Anchored | null } | { problem: FieldProblem } {
  if (create_next === false)
    return next_due_date === undefined
      ? { next: null }
      : problem('create_next', 'is false, and next_due_date is given');
  if (next_due_date !== undefined) {
    if (next_due_date <= renewal.due_date) return problem('next_due_date', 'must be after the due date');
    if (next_due_date <= today) return problem('next_due_date', 'must be in the future');
    return { next: anchoredAt(next_due_date, renewal.anchor_day) };
  }
  const next = months === null ? null : nextTerm(renewal, months, today);
  return next === null && create_next
    ? problem('next_due_date', 'is required: its service type has no next term')
    : { next };
}

const problem = (path: string, message: string) => ({ problem: { path, message } });

/** What the first refresh that has to do with it will do: the one of that night, when that should have been before. */
export function nextAlert(renewal: StoredRenewal, nextNight: PlainDate): QueuedRenewal['next_alert'] {
  const { due_date, next_alert_on, sequence } = renewal;
  if (next_alert_on === null) return null;
  const wasMissed = next_alert_on < nextNight;
  const on = wasMissed ? nextNight : next_alert_on;
  const rung = reached(daysBetween(on, due_date)).at(-1);
  if (rung === undefined) return null;
  const follows = nextStep(sequence);
  const isStep = follows !== undefined && follows.rung === rung && follows.on <= on && !isOwed(renewal);
  return isStep ? { rung, on, step: follows.step, does: follows.does } : { rung, on, step: '0', does: null };
}

/** The id of its customer that what follows from it is made under too: should that be taken for another's, all goes along. */
export const writtenUnder = ({ written_under, customer_id }: Pick<StoredRenewal, 'written_under' | 'customer_id'>) =>
  written_under ?? customer_id;

/** Whose it is: its own agent's, else the customer's. `renewals_of_owner` says the same. */
export const ownerOf = ({
  assigned_agent,
  customer_agent,
}: Pick<StoredRenewal, 'assigned_agent' | 'customer_agent'>): string | null => assigned_agent ?? customer_agent;

export const responsibleFor = (stored: StoredRenewal, responsible: Responsible): string | null =>
  responsible[stored.closed_at === null ? 'open' : 'closed'](ownerOf(stored));

/** As it is read, by who deals today with what its owner has. */
export const shown = (stored: StoredRenewal, responsible: Responsible, today: PlainDate): Renewal => ({
  ...toRenewal(stored, today),
  responsible_agent: responsibleFor(stored, responsible),
});

export function toRenewal(stored: StoredRenewal, today: PlainDate): Omit<Renewal, 'responsible_agent'> {
  const { id, customer_id, service_type, due_date, days_until_due, status, policy_id, notes, assigned_agent } = stored;
  const { predecessor_id, successor_id, started_at, closed_at, version, created_at, updated_at } = stored;
  const { source_kind: kind, source_id, cancel_reason: reason, cancel_note: note } = stored;
  return {
    id,
    customer_id,
    service_type,
    due_date,
    days_until_due,
    status,
    policy_id,
    notes,
    assigned_agent,
    reminders: stored.reminders ? 'on' : 'off',
    hold: holdOn(stored, today),
    acknowledged: acknowledgedIn(stored),
    source: kind === null || source_id === null ? null : { kind, id: source_id },
    predecessor_id,
    successor_id,
    started_at,
    closed_at,
    cancelled_because: reason === null ? null : { reason, note },
    version,
    created_at,
    updated_at,
  };
}

function acknowledgedIn({
  acknowledged_until,
  acknowledged_note: note,
  ...stored
}: StoredRenewal): Renewal['acknowledged'] {
  const { acknowledged_by: by, acknowledged_at: at } = stored;
  return acknowledged_until === null || by === null || at === null ? null : { until: acknowledged_until, note, by, at };
}
