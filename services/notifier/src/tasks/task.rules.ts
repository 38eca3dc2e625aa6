import { daysBetween } from '@ops/contracts/dates';
import { endedInWords } from '@ops/contracts/ended-in-words';
import type { EventData } from '@ops/contracts/events';
import type { Failure } from '@ops/contracts/resources/communication';
import { type Renewal, type Rung, rungs } from '@ops/contracts/resources/renewal';
import type { PatchTask, Task } from '@ops/contracts/resources/task';
import type { TaskPriority } from '@ops/contracts/resources/task-priority';
import { mootBecause } from '../followed/followed.rules.ts';

const urgency: Record<TaskPriority, number> = { NORMAL: 0, HIGH: 1, URGENT: 2 };

export const moreUrgent = (one: TaskPriority, other: TaskPriority): TaskPriority =>
  urgency[one] >= urgency[other] ? one : other;

const tighter = (one: Rung, other: Rung): Rung => (rungs.indexOf(one) >= rungs.indexOf(other) ? one : other);

/** The agents of its renewal and its customer, as last known. */
export interface Agents {
  renewal_agent: string | null;
  customer_agent: string | null;
}

/** The renewal's agent, else the customer's, there or not: who stands in for an absent one is seen when it is read. */
export function givenByItself({
  renewal_agent,
  customer_agent,
}: Agents): Pick<StoredTask, 'assigned_agent' | 'given_to'> {
  const agent = renewal_agent ?? customer_agent;
  return { assigned_agent: agent, given_to: agent };
}

/** Whose it is: whom a person gave it to, else the renewal's agent, else the customer's. `tasks_of_owner` says the same. */
export const ownerOf = ({
  assigned_agent,
  renewal_agent,
  customer_agent,
}: Agents & Pick<Task, 'assigned_agent'>): string | null => assigned_agent ?? renewal_agent ?? customer_agent;

/** A task, and what it has to remember to stand as its renewal does. */
export interface StoredTask extends Omit<Task, 'responsible_agent'>, Agents {
  /** The id of its customer it was made under, where that is or was another. */
  written_under: string | null;
  /** The due date its alert was about, or that of its renewal, if that was moved by a few days since. */
  alerted_date: string | null;
  /** When it is due by itself; null of one that the version before made: with its renewal. */
  due_by_itself: string | null;
  /** The due date it was closed for, which was so far away that its own alerts come. */
  put_off_to: string | null;
  /** Who got it by itself; null when nobody did, or a person has given it to somebody since. */
  given_to: string | null;
}

/** A task as it begins, whoever asks for it. */
export const untouched = (id: string, at: string) => ({
  id,
  written_under: null,
  rung: null,
  communication_id: null,
  alerted_date: null,
  due_by_itself: null,
  put_off_to: null,
  given_to: null,
  status: 'OPEN' as const,
  created_by: null,
  closed_because: null,
  closed_at: null,
  version: 1,
  created_at: at,
  updated_at: at,
});

/**
 * What upstream says to have ended is to be confirmed with the customer. Of a renewal that is cancelled by that it is no task
 * of the renewal, with which it would be closed.
 */
export function toConfirm(
  {
    written_under,
    customer_id,
    renewal_id,
    service_label,
    assigned_agent,
    source,
    cancelled,
  }: EventData<'renewal.source_ended'>,
  { id, customer_agent }: Pick<StoredTask, 'id' | 'customer_agent'>,
  { at, today, dueOn }: Now,
): StoredTask {
  const agents = { renewal_agent: assigned_agent, customer_agent };
  return {
    ...untouched(id, at),
    customer_id: written_under ?? customer_id,
    renewal_id: cancelled ? null : renewal_id,
    title: `Confirm with the customer: ${endedInWords(source)}`,
    notes: cancelled
      ? `${service_label}: what was watched for it is cancelled, and nobody is reminded of it any more.`
      : `${service_label}: the renewal goes on, since it stands for something else as well.`,
    priority: source.kind === 'residence_permit' ? 'URGENT' : 'NORMAL',
    due_date: dueOn(today),
    due_by_itself: dueOn(today),
    ...agents,
    ...givenByItself(agents),
  };
}

const longestTitle = 200;

/**
 * Who is named in a note is to look at it. It is told of by name, since others read it too: a deputy, or whoever looks at all
 * tasks.
 */
export function toLookAt(
  { customer_id, communication_id, mentioned_by }: EventData<'note.mentioned'>,
  { id, agent, customer_agent }: { id: string; agent: string; customer_agent: string | null },
  nameOf: (id: string) => string,
  { at, today, dueOn }: Now,
): StoredTask {
  const title = `${nameOf(mentioned_by)} mentioned ${nameOf(agent)} in a note`;
  return {
    ...untouched(id, at),
    customer_id,
    communication_id,
    renewal_id: null,
    title: title.slice(0, longestTitle).toWellFormed(),
    notes: null,
    priority: 'NORMAL',
    due_date: dueOn(today),
    renewal_agent: null,
    customer_agent,
    assigned_agent: agent,
    created_by: mentioned_by,
  };
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

/** A task never becomes less urgent, is left with whom a person gave it to, and keeps what was noted. */
export function raised(task: StoredTask, wanted: Wanted): StoredTask {
  const { renewal_agent, customer_agent = task.customer_agent } = wanted;
  const more = {
    priority: moreUrgent(task.priority, wanted.priority),
    rung: task.rung === null ? wanted.rung : tighter(task.rung, wanted.rung),
    notes: withNote(task.notes, wanted.note),
  };
  return handedOver({ ...task, ...more }, { renewal_agent, customer_agent });
}

/** What somebody has to know is added to a task that is open. */
export const noted = (task: StoredTask, note: string): StoredTask =>
  task.status === 'OPEN' ? { ...task, notes: withNote(task.notes, note) } : task;

function withNote(notes: string | null, note: string | null): string | null {
  if (note === null || notes?.includes(note)) return notes;
  return notes ? `${notes}\n${note}` : note;
}

/** What somebody changes of a task; whoever closes it need not say why. */
export function patched(task: StoredTask, patch: PatchTask, now: Now): StoredTask {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  const next: StoredTask = { ...task, ...Object.fromEntries(given) };
  if (next.assigned_agent !== task.assigned_agent) next.given_to = null;
  if (next.status === task.status) return next;
  if (next.status === 'OPEN') return { ...wantedAgain(next, now), closed_at: null, closed_because: null };
  return { ...next, closed_at: now.at, closed_because: next.status === 'DONE' ? 'done' : 'cancelled' };
}

/** Whoever opens what was closed for a date far away wants it for that date. */
const wantedAgain = (task: StoredTask, now: Now): StoredTask =>
  task.put_off_to === null ? task : movedTo(task, task.put_off_to, now);

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

/**
 * How a task stands once its renewal stands so; whatever it was told of in between, it comes out the same. `isAskedFor`: by
 * the newest alert about the date that the renewal has now, which does not come again.
 */
export function standing(
  task: StoredTask,
  renewal: Pick<Renewal, 'status' | 'due_date' | 'assigned_agent'>,
  now: Now,
  isAskedFor = false,
): StoredTask {
  const dated = withDate(task, renewal.due_date, now, isAskedFor);
  const stood = withStatus(dated, dated.put_off_to === null ? standingOf(renewal) : putOff, now.at);
  return handedOver(stood, { renewal_agent: renewal.assigned_agent, customer_agent: task.customer_agent });
}

export interface Now {
  at: string;
  /** The firm's business date. */
  today: string;
  /** On which day a task is due by itself whose renewal is due on that date. */
  dueOn(date: string): string;
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
function withDate(task: StoredTask, date: string, now: Now, isAskedFor: boolean): StoredTask {
  if (task.alerted_date === null) return task;
  if (date === task.alerted_date) return { ...task, put_off_to: null };
  if (date === task.put_off_to) return task;
  const isMoved = isAskedFor || isNear(task, daysBetween(now.today, date));
  return isMoved ? movedTo(task, date, now) : { ...task, put_off_to: date };
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

/** Titles that the version before wrote name the date. */
const movedTo = (task: StoredTask, date: string, { dueOn }: Now): StoredTask => ({
  ...task,
  alerted_date: date,
  put_off_to: null,
  due_date: task.due_date === (task.due_by_itself ?? task.alerted_date) ? dueOn(date) : task.due_date,
  due_by_itself: dueOn(date),
  title: task.title.replaceAll(task.alerted_date ?? date, date),
});

/**
 * Its renewal or its customer has another agent, or none: an open task of an alert goes along, unless a person has given it
 * to somebody.
 */
export function handedOver(task: StoredTask, { renewal_agent, customer_agent }: Agents): StoredTask {
  const told = { ...task, renewal_agent, customer_agent };
  if (task.status !== 'OPEN' || task.rung === null) return told;
  const wentByItself = task.assigned_agent !== null && task.assigned_agent === task.given_to;
  const isNobodys = task.assigned_agent === null && ownerOf(told) !== ownerOf(task);
  return wentByItself || isNobodys ? { ...told, ...givenByItself(told) } : told;
}

export const isSame = <T extends object>(one: T, other: T): boolean =>
  (Object.keys({ ...one, ...other }) as (keyof T)[]).every((field) => one[field] === other[field]);
