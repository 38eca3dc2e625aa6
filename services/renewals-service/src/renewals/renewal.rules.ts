import { daysBetween, type PlainDate } from '@ops/contracts/dates';
import type { QueuedRenewal, Renewal, RenewalStatus, Rung } from '@ops/contracts/resources/renewal';
import { nextAlertOn, reached } from './rungs.rules.ts';
import { type Anchored, anchoredAt, nextTerm } from './terms.rules.ts';

type ActiveStatus = 'UPCOMING' | 'IN_PROGRESS' | 'OVERDUE';

/** A renewal as it is stored; `days_until_due` is counted when it is read. */
export interface StoredRenewal extends Omit<Renewal, 'reminders' | 'source'>, Anchored {
  reminders: boolean;
  source_kind: string | null;
  source_id: string | null;
  /** Of the successor, as completing this one left it. */
  successor_version: number | null;
  /** Completing this one made the successor, or one that led there too and was reopened; else it was there before. */
  successor_made: boolean | null;
  closed_from: ActiveStatus | null;
  reopened_at: string | null;
  next_alert_on: PlainDate | null;
  created_on: PlainDate;
}

/** What a change writes; instants are written as Dates and read as text. */
export interface RenewalChange
  extends Partial<
    Pick<
      StoredRenewal,
      | ('due_date' | 'anchor_day' | 'status' | 'policy_id' | 'notes' | 'assigned_agent' | 'reminders')
      | ('predecessor_id' | 'successor_id' | 'successor_version' | 'successor_made' | 'closed_from' | 'next_alert_on')
      | ('source_kind' | 'source_id')
    >
  > {
  started_at?: Date | null;
  closed_at?: Date | null;
  reopened_at?: Date | null;
}

/** A change, nothing because it is so already, or why it cannot be. */
export type Step = { change: RenewalChange } | 'same' | { refused: string };

export const isClosed = (status: RenewalStatus): status is 'COMPLETED' | 'CANCELLED' =>
  status === 'COMPLETED' || status === 'CANCELLED';

const refused = (status: RenewalStatus): Step => ({ refused: `The renewal is ${status}` });

/** An overdue one stays overdue whoever works on it: its date has passed all the same. */
export function start({ status, started_at }: StoredRenewal, now: Date): Step {
  if (isClosed(status)) return refused(status);
  if (started_at !== null) return 'same';
  return { change: { started_at: now, status: status === 'OVERDUE' ? status : 'IN_PROGRESS' } };
}

export function close({ status }: StoredRenewal, to: 'COMPLETED' | 'CANCELLED', now: Date): Step {
  if (status === to) return 'same';
  if (isClosed(status)) return refused(status);
  return { change: { status: to, closed_at: now, closed_from: status, next_alert_on: null } };
}

export interface BeforeReopening {
  /** Somebody, or an alert, has to do with what followed it. */
  successorTouched: boolean;
  /** What the ledger holds for its date. */
  recorded: readonly Rung[];
}

/** Back to what it was; a date that passed meanwhile is the next refresh's business. */
export function reopen(renewal: StoredRenewal, { successorTouched, recorded }: BeforeReopening, now: Date): Step {
  const { closed_from, reopened_at } = renewal;
  if (closed_from === null) return reopened_at === null ? refused(renewal.status) : 'same';
  if (successorTouched) return { refused: 'What followed it was changed or alerted since' };
  return {
    change: {
      status: closed_from,
      closed_at: null,
      closed_from: null,
      reopened_at: now,
      successor_id: null,
      successor_version: null,
      successor_made: null,
      next_alert_on: nextAlertOn(renewal.due_date, recorded, closed_from === 'OVERDUE'),
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

export function move(renewal: StoredRenewal, due_date: PlainDate, recorded: readonly Rung[], today: PlainDate) {
  const status = statusAt(renewal, due_date, today);
  const next_alert_on = nextAlertOn(due_date, recorded, status === 'OVERDUE');
  return { ...anchoredAt(due_date, renewal.anchor_day), status, next_alert_on };
}

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

/** What the first refresh that has to do with it will alert: the next one, when that should have been before. */
export function nextAlert({ due_date, next_alert_on }: StoredRenewal, today: PlainDate): QueuedRenewal['next_alert'] {
  if (next_alert_on === null) return null;
  const on = next_alert_on < today ? today : next_alert_on;
  const rung = reached(daysBetween(on, due_date)).at(-1);
  return rung === undefined ? null : { rung, on };
}

export function toRenewal(stored: StoredRenewal): Renewal {
  const { id, customer_id, service_type, due_date, days_until_due, status, policy_id, notes, assigned_agent } = stored;
  const { predecessor_id, successor_id, started_at, closed_at, version, created_at, updated_at } = stored;
  const { source_kind: kind, source_id } = stored;
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
    source: kind === null || source_id === null ? null : { kind, id: source_id },
    predecessor_id,
    successor_id,
    started_at,
    closed_at,
    version,
    created_at,
    updated_at,
  };
}
