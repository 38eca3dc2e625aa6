import { daysBetween } from '@ops/contracts/dates';
import type { Failure } from '@ops/contracts/resources/communication';
import { type Renewal, type Rung, rungs } from '@ops/contracts/resources/renewal';
import type { PatchTask, Task, TaskPriority } from '@ops/contracts/resources/task';
import { mootBecause } from '../followed/followed.rules.ts';

const urgency: Record<TaskPriority, number> = { NORMAL: 0, HIGH: 1, URGENT: 2 };

const moreUrgent = (one: TaskPriority, other: TaskPriority): TaskPriority =>
  urgency[one] >= urgency[other] ? one : other;

const tighter = (one: Rung, other: Rung): Rung => (rungs.indexOf(one) >= rungs.indexOf(other) ? one : other);

interface Agents {
  renewal_agent: string | null;
  customer_agent: string | null;
}

/** The renewal's agent, else the customer's, if there; null, and so the unassigned queue, when nobody is. */
export function givenByItself(
  { renewal_agent, customer_agent }: Agents,
  absent: ReadonlySet<string>,
): Pick<StoredTask, 'assigned_agent' | 'given_to'> {
  const agent = [renewal_agent, customer_agent].find((one) => one !== null && !absent.has(one)) ?? null;
  return { assigned_agent: agent, given_to: agent };
}

/** A task, and what it has to remember to stand as its renewal does. */
export interface StoredTask extends Task {
  /** The due date its alert was about, or that of its renewal, if that was moved by a few days since. */
  alerted_date: string | null;
  /** The due date it was closed for, which was so far away that its own alerts come. */
  put_off_to: string | null;
  /** Whose its renewal was when it was last looked at, and the customer's agent as last known. */
  renewal_agent: string | null;
  customer_agent: string | null;
  /** Who got it by itself; null when nobody did, or a person has given it to somebody since. */
  given_to: string | null;
}

/** What an alert asks for. */
export interface Wanted {
  renewal_id: string;
  customer_id: string;
  /** The date the alert is about. */
  due_date: string;
  rung: Rung;
  priority: TaskPriority;
  title: string;
  /** Something the agent has to know. */
  note: string | null;
  /** Whose it may be, in this order. Undefined: comms-service, who knows, is away. */
  renewal_agent: string | null;
  customer_agent: string | null | undefined;
}

/** A task never becomes less urgent, is left with who has it while that one is there, and keeps what was noted. */
export function raised(task: StoredTask, wanted: Wanted, absent: ReadonlySet<string>): StoredTask {
  const { assigned_agent: agent } = task;
  const isHeld = agent !== null && !absent.has(agent);
  const { renewal_agent, customer_agent = task.customer_agent } = wanted;
  return {
    ...task,
    priority: moreUrgent(task.priority, wanted.priority),
    rung: task.rung === null ? wanted.rung : tighter(task.rung, wanted.rung),
    notes: withNote(task.notes, wanted.note),
    customer_agent,
    ...(isHeld ? {} : givenByItself({ renewal_agent, customer_agent }, absent)),
  };
}

function withNote(notes: string | null, note: string | null): string | null {
  if (note === null || notes?.includes(note)) return notes;
  return notes ? `${notes}\n${note}` : note;
}

/** What somebody changes of a task; whoever closes it need not say why. */
export function patched(task: StoredTask, patch: PatchTask, at: string): StoredTask {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  const next: StoredTask = { ...task, ...Object.fromEntries(given) };
  if (next.assigned_agent !== task.assigned_agent) next.given_to = null;
  if (next.status === task.status) return next;
  if (next.status === 'OPEN') return { ...wantedAgain(next), closed_at: null, closed_because: null };
  return { ...next, closed_at: at, closed_because: next.status === 'DONE' ? 'done' : 'cancelled' };
}

/** Whoever opens what was closed for a date far away wants it for that date. */
const wantedAgain = (task: StoredTask): StoredTask =>
  task.put_off_to === null ? task : movedTo(task, task.put_off_to);

/**
 * Which of a renewal's tasks close and open with it: those people made, and of those its alerts made the one that is open,
 * else the one that was last. What a person closed stays closed, and nothing older comes in its place.
 */
export function following(tasks: readonly StoredTask[]): StoredTask[] {
  const byPeople = tasks.filter(({ rung }) => rung === null);
  const current = currentOf(tasks);
  return [...byPeople.filter((task) => !isClosedByHand(task)), ...(current ? [current] : [])];
}

/** The task an alert raises; undefined when there has to be another. */
export function currentOf(tasks: readonly StoredTask[]): StoredTask | undefined {
  const ofAlerts = tasks.filter(({ rung }) => rung !== null);
  const last = ofAlerts.toSorted((a, b) => closing(a) - closing(b) || (a.id < b.id ? -1 : 1)).at(-1);
  return last && !isClosedByHand(last) ? last : undefined;
}

const closing = ({ closed_at }: StoredTask): number =>
  closed_at === null ? Number.POSITIVE_INFINITY : Date.parse(closed_at);

const isClosedByHand = ({ closed_because }: StoredTask): boolean =>
  closed_because === 'done' || closed_because === 'cancelled';

/** How a task stands once its renewal stands so; whatever it was told of in between, it comes out the same. */
export function standing(
  task: StoredTask,
  renewal: Pick<Renewal, 'status' | 'due_date' | 'assigned_agent'>,
  { at, today, absent }: Now,
): StoredTask {
  const dated = withDate(task, renewal.due_date, today);
  const stood = withStatus(dated, dated.put_off_to === null ? standingOf(renewal) : putOff, at);
  return handedOver(stood, renewal.assigned_agent, absent);
}

export interface Now {
  at: string;
  /** The firm's business date. */
  today: string;
  absent: ReadonlySet<string>;
}

type Standing = { status: Task['status']; because: string | null };

const putOff: Standing = { status: 'CANCELLED', because: 'due_date_changed' };

function standingOf({ status }: Pick<Renewal, 'status'>): Standing {
  if (status === 'COMPLETED') return { status: 'DONE', because: 'renewal_completed' };
  if (status === 'CANCELLED') return { status: 'CANCELLED', because: 'renewal_cancelled' };
  return { status: 'OPEN', because: null };
}

function withStatus(task: StoredTask, { status, because }: Standing, at: string): StoredTask {
  if (task.status === status && task.closed_because === because) return task;
  return { ...task, status, closed_because: because, closed_at: status === 'OPEN' ? null : at };
}

/** It was put off to a date once; that this comes near later is told by alerts of its own. */
function withDate(task: StoredTask, date: string, today: string): StoredTask {
  if (task.alerted_date === null) return task;
  if (date === task.alerted_date) return { ...task, put_off_to: null };
  if (date === task.put_off_to) return task;
  return isNear(task, daysBetween(today, date)) ? movedTo(task, date) : { ...task, put_off_to: date };
}

const loosestWithTask = 14;

/** A date moved by a few days leaves the work to do: its alert does not come again, so there is a task all the same. */
const isNear = ({ rung }: Pick<Task, 'rung'>, daysUntil: number): boolean =>
  daysUntil <= Math.max(loosestWithTask, rung === 'OVERDUE' ? 0 : Number(rung));

/** Why an alert about that date asks for no task any more; null while it does, also when the date was moved by a few days. */
export function taskMootBecause(
  renewal: Pick<Renewal, 'status' | 'due_date'>,
  alert: { due_date: string; rung: Rung },
  today: string,
): Failure | null {
  const moot = mootBecause(renewal, alert.due_date);
  const movedNearby = moot?.code === 'due_date_changed' && isNear(alert, daysBetween(today, renewal.due_date));
  return movedNearby ? null : moot;
}

const movedTo = (task: StoredTask, date: string): StoredTask => ({
  ...task,
  alerted_date: date,
  put_off_to: null,
  due_date: task.due_date === task.alerted_date ? date : task.due_date,
  title: task.title.replaceAll(task.alerted_date ?? date, date),
});

/**
 * Its renewal was given to another agent, or taken from one: an open task of its alerts goes where a new one would, unless
 * a person has given it to somebody.
 */
function handedOver(task: StoredTask, renewal_agent: string | null, absent: ReadonlySet<string>): StoredTask {
  if (task.status !== 'OPEN' || task.rung === null || task.renewal_agent === renewal_agent) return task;
  const isByItself = task.assigned_agent === null || task.assigned_agent === task.given_to;
  const { customer_agent } = task;
  return { ...task, renewal_agent, ...(isByItself ? givenByItself({ renewal_agent, customer_agent }, absent) : {}) };
}

export const isSame = <T extends object>(one: T, other: T): boolean =>
  (Object.keys({ ...one, ...other }) as (keyof T)[]).every((field) => one[field] === other[field]);
