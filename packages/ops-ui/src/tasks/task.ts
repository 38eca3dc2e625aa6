import type { PatchTask, Task } from '../api/types.ts';

export type Priority = Task['priority'];

/** The most urgent first; each is its own name wherever it is shown. */
export const priorities: readonly Priority[] = ['URGENT', 'HIGH', 'NORMAL'];

/** What a person writes of a task; an empty field is an empty text. */
export interface TaskFields {
  title: string;
  notes: string;
  priority: Priority;
  due_date: string;
}

export const fieldsOf = ({ title, notes, priority, due_date }: Task): TaskFields => ({
  title,
  notes: notes ?? '',
  priority,
  due_date: due_date ?? '',
});

const orNull = (text: string): string | null => (text.trim() === '' ? null : text);

/** As the service takes them. */
export const written = ({ title, notes, priority, due_date }: TaskFields) => ({
  title: title.trim(),
  notes: orNull(notes),
  priority,
  due_date: orNull(due_date),
});

/** What is different from the task as it is; null when nothing is. */
export function changesOf(task: Task, edits: Partial<TaskFields>): PatchTask | null {
  const wanted = Object.entries(written({ ...fieldsOf(task), ...edits }));
  const changes = wanted.filter(([field, value]) => field in edits && task[field as keyof Task] !== value);
  return changes.length === 0 ? null : Object.fromEntries(changes);
}

/** What was typed since those were sent; null: nothing. */
export function typedSince(edits: Partial<TaskFields>, sent: Partial<TaskFields>): Partial<TaskFields> | null {
  const left = Object.entries(edits).filter(([field, value]) => sent[field as keyof TaskFields] !== value);
  return left.length === 0 ? null : Object.fromEntries(left);
}

/** The change that puts back what another change changes. */
export const undoing = (task: Task, change: PatchTask): PatchTask =>
  Object.fromEntries(Object.keys(change).map((field) => [field, task[field as keyof Task]]));

/** What alerts noted in a task, a line for each thing: that nobody was reached, and what came of each message. */
export const alertLines = (notes: string | null): string[] =>
  (notes ?? '')
    .split('\n')
    .filter((line) => /^Alert (\d+|OVERDUE): /.test(line))
    .flatMap((line) => line.split(/(?<=[.:]) (?=(?:Messaging app|E-mail|SMS): )/));

const reasons: Record<string, string> = {
  done: 'Somebody did it.',
  cancelled: 'Somebody cancelled it.',
  renewal_completed: 'Its renewal was completed.',
  renewal_cancelled: 'Its renewal was cancelled.',
  due_date_changed: 'Its renewal is due much later by now.',
};

/** Why it is closed; null while it is open. */
export function closedWords({ status, closed_because }: Task): string | null {
  if (status === 'OPEN') return null;
  return reasons[closed_because ?? ''] ?? (status === 'DONE' ? 'It was done.' : 'It was cancelled.');
}

/** Which alert it stands for; null when a person made it. */
export function alertWords({ rung }: Task): string | null {
  if (rung === null) return null;
  return rung === 'OVERDUE' ? 'the alert that the renewal is overdue' : `the alert that ${rung} days are left`;
}
