import { type Rung, rungs } from '@ops/contracts/resources/renewal';
import type { PatchTask, Task, TaskPriority } from '@ops/contracts/resources/task';

const urgency: Record<TaskPriority, number> = { NORMAL: 0, HIGH: 1, URGENT: 2 };

const moreUrgent = (one: TaskPriority, other: TaskPriority): TaskPriority =>
  urgency[one] >= urgency[other] ? one : other;

const tighter = (one: Rung, other: Rung): Rung => (rungs.indexOf(one) >= rungs.indexOf(other) ? one : other);

/** The first who is there; null, and so the unassigned queue, when nobody is. */
export function assignee(wanted: readonly (string | null | undefined)[], absent: ReadonlySet<string>): string | null {
  return wanted.find((agent): agent is string => !!agent && !absent.has(agent)) ?? null;
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
  /** Whose it may be, in this order: the renewal's agent, the customer's. */
  agents: readonly (string | null | undefined)[];
}

type Open = Pick<Task, 'priority' | 'rung' | 'notes' | 'assigned_agent'>;

/** An open task never becomes less urgent, is left with who has it while that one is there, and keeps what was noted. */
export function raised(task: Open, wanted: Wanted, absent: ReadonlySet<string>): Open {
  const { assigned_agent: agent } = task;
  return {
    priority: moreUrgent(task.priority, wanted.priority),
    rung: task.rung === null ? wanted.rung : tighter(task.rung, wanted.rung),
    notes: withNote(task.notes, wanted.note),
    assigned_agent: agent !== null && !absent.has(agent) ? agent : assignee(wanted.agents, absent),
  };
}

function withNote(notes: string | null, note: string | null): string | null {
  if (note === null || notes?.includes(note)) return notes;
  return notes ? `${notes}\n${note}` : note;
}

/** What somebody changes of a task; whoever closes it need not say why. */
export function patched(task: Task, patch: PatchTask, at: string): Task {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  const next: Task = { ...task, ...Object.fromEntries(given) };
  if (next.status === task.status) return next;
  if (next.status === 'OPEN') return { ...next, closed_at: null, closed_because: null };
  return { ...next, closed_at: at, closed_because: next.status === 'DONE' ? 'done' : 'cancelled' };
}

type Renewal = { status: string; due_date: string };
type OfRenewal = Task & { alerted_date: string | null };

/** What its renewal makes of its tasks: before and after. `daysUntil` is counted from today. */
export function withRenewal<T extends OfRenewal>(
  tasks: readonly T[],
  renewal: Renewal,
  at: string,
  daysUntil: number,
): [T, T][] {
  if (renewal.status === 'COMPLETED') return closing(tasks, 'DONE', 'renewal_completed', at);
  if (renewal.status === 'CANCELLED') return closing(tasks, 'CANCELLED', 'renewal_cancelled', at);
  const isMoved = ({ alerted_date }: T) => alerted_date !== null && alerted_date !== renewal.due_date;
  const moved = tasks.filter((task) => isMoved(task) && task.status === 'OPEN');
  const [near, far] = [
    moved.filter((task) => isNear(task, daysUntil)),
    moved.filter((task) => !isNear(task, daysUntil)),
  ];
  return [
    ...near.map((task): [T, T] => [task, movedTo(task, renewal.due_date)]),
    ...closing(far, 'CANCELLED', 'due_date_changed', at),
    ...reopening(
      tasks.filter((task) => !isMoved(task)),
      renewal,
      near.length > 0,
    ),
  ];
}

const loosestWithTask = 14;

/** A date moved by a few days leaves the work to do: its alert does not come again, so there is a task all the same. */
export const isNear = ({ rung }: Pick<Task, 'rung'>, daysUntil: number): boolean =>
  daysUntil <= Math.max(loosestWithTask, rung === 'OVERDUE' ? 0 : Number(rung));

const movedTo = <T extends OfRenewal>(task: T, date: string): T => ({
  ...task,
  ...{ alerted_date: date, due_date: task.due_date === task.alerted_date ? date : task.due_date },
  title: task.title.replaceAll(task.alerted_date ?? date, date),
});

const closing = <T extends OfRenewal>(tasks: readonly T[], status: Task['status'], because: string, at: string) =>
  tasks
    .filter((task) => task.status === 'OPEN')
    .map((task): [T, T] => [task, { ...task, status, closed_because: because, closed_at: at }]);

/** What was closed with a renewal that is open again; of those an alert made, the last, unless one is open. */
function reopening<T extends OfRenewal>(tasks: readonly T[], { due_date }: Renewal, another: boolean): [T, T][] {
  const closed = tasks.filter(({ status }) => status !== 'OPEN');
  const byPeople = closed.filter(({ rung }) => rung === null);
  const ofAlerts = closed.filter(({ alerted_date }) => alerted_date === due_date);
  const isOpen = another || tasks.some(({ rung, status }) => rung !== null && status === 'OPEN');
  const last = isOpen
    ? []
    : ofAlerts.toSorted((a, b) => Date.parse(a.closed_at ?? '') - Date.parse(b.closed_at ?? '')).slice(-1);
  return [...byPeople, ...last].map((task) => [
    task,
    { ...task, status: 'OPEN', closed_because: null, closed_at: null },
  ]);
}

type Held = Pick<Task, 'status' | 'rung' | 'assigned_agent'> & { renewal_agent: string | null };

/**
 * Its renewal was given to another agent, or taken from one: an open task of its alerts goes along, unless somebody had
 * given that to another.
 */
export function handedOver<T extends Held>(task: T, renewalAgent: string | null, absent: ReadonlySet<string>): T {
  const { status, rung, assigned_agent, renewal_agent } = task;
  if (status !== 'OPEN' || rung === null || renewal_agent === renewalAgent) return task;
  const goesAlong = assigned_agent === null || assigned_agent === renewal_agent;
  const agent = goesAlong ? assignee([renewalAgent], absent) : assigned_agent;
  return { ...task, assigned_agent: agent, renewal_agent: renewalAgent };
}

export const isSame = <T extends object>(one: T, other: T): boolean =>
  (Object.keys({ ...one, ...other }) as (keyof T)[]).every((field) => one[field] === other[field]);
