import type { Task, TaskQuery } from '@ops/contracts/resources/task';
import type { Db, Trx } from '@ops/service-kit/database';
import type { StoredTask } from './task.rules.ts';

interface Row extends Omit<StoredTask, 'created_at' | 'updated_at' | 'closed_at'> {
  created_at: Date;
  updated_at: Date;
  closed_at: Date | null;
}

const columns = [
  'id',
  'customer_id',
  'renewal_id',
  'title',
  'notes',
  'priority',
  'status',
  'due_date',
  'rung',
  'assigned_agent',
  'created_by',
  'closed_because',
  'version',
  'created_at',
  'updated_at',
  'closed_at',
  'alerted_date',
  'put_off_to',
  'renewal_agent',
  'customer_agent',
  'given_to',
];

const toTask = (row: Row): StoredTask => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  closed_at: row.closed_at?.toISOString() ?? null,
});

/** What of it is anybody's business. */
export function shown(stored: StoredTask): Task {
  const {
    alerted_date: _,
    put_off_to: __,
    renewal_agent: ___,
    customer_agent: ____,
    given_to: _____,
    ...task
  } = stored;
  return task;
}

export async function insertTask(trx: Trx, task: StoredTask): Promise<void> {
  await trx('tasks').insert(task);
}

export async function findTask(db: Db | Trx, id: string): Promise<StoredTask | undefined> {
  const row = await db('tasks').where({ id }).first(columns);
  return row && toTask(row);
}

export async function lockTask(trx: Trx, id: string): Promise<StoredTask | undefined> {
  const row = await trx('tasks').where({ id }).forUpdate().first(columns);
  return row && toTask(row);
}

/** The open one that an alert made; whoever asks has locked the renewal's row. */
export async function lockOpenTask(trx: Trx, renewal_id: string): Promise<StoredTask | undefined> {
  const row = await trx('tasks').where({ renewal_id, status: 'OPEN' }).whereNotNull('rung').forUpdate().first(columns);
  return row && toTask(row);
}

export async function saveTask(trx: Trx, { id, created_at: _, ...task }: StoredTask): Promise<void> {
  await trx('tasks').where({ id }).update(task);
}

/** All of these renewals, closed ones too; in the order of ids, in which everybody locks. */
export async function lockTasksOf(trx: Trx, renewalIds: readonly string[]): Promise<StoredTask[]> {
  const rows: Row[] = await trx('tasks')
    .whereIn('renewal_id', [...renewalIds])
    .orderBy('id')
    .forUpdate()
    .select(columns);
  return rows.map(toTask);
}

export interface TaskPosition {
  state: number;
  urgency: number;
  due: number;
  id: string;
}

type Listed = TaskPosition & { task: Task };

/** Follows `tasks_most_urgent`, or the index of what is asked for, which has the same order. */
export async function listTasks(db: Db, query: TaskQuery, after: TaskPosition | undefined, limit: number) {
  const { status, priority, assigned_agent, customer_id, renewal_id } = query;
  const conditions = [
    status && 't.status = :status',
    priority && 't.priority = :priority',
    assigned_agent !== undefined &&
      (assigned_agent === '' ? 't.assigned_agent IS NULL' : 't.assigned_agent = :assigned_agent'),
    customer_id && 't.customer_id = :customer_id',
    renewal_id && 't.renewal_id = CAST(:renewal_id AS uuid)',
    after &&
      `(t.state_order, t.urgency, t.due_order, t.id)
         > (CAST(:state AS bigint), CAST(:urgency AS bigint), CAST(:due AS bigint), CAST(:id AS uuid))`,
  ].filter(Boolean);
  const given = Object.entries({ status, priority, assigned_agent, customer_id, renewal_id, ...after, limit });
  const { rows } = await db.raw(
    `SELECT ${columns.map((name) => `t.${name}`).join(', ')}, t.state_order, t.urgency, t.due_order
     FROM tasks t WHERE ${conditions.join(' AND ') || 'true'}
     ORDER BY t.state_order, t.urgency, t.due_order, t.id LIMIT :limit`,
    Object.fromEntries(given.filter(([, value]) => value !== undefined)),
  );
  return rows.map(toListed) as Listed[];
}

type ListRow = Row & { state_order: number; urgency: number; due_order: number };

function toListed({ state_order: state, urgency, due_order: due, ...row }: ListRow): Listed {
  const task = shown(toTask(row));
  return { state, urgency, due, id: task.id, task };
}
