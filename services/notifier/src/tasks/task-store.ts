import type { Task, TaskQuery } from '@ops/contracts/resources/task';
import type { Owners, OwnersOf, Responsible } from '@ops/contracts/responsible';
import { type Db, execute, oneRow, rows, type Trx } from '@ops/service-kit/database';
import { ownerOf, type StoredTask } from './task.rules.ts';

interface Row extends Omit<StoredTask, 'created_at' | 'updated_at' | 'closed_at'> {
  created_at: Date;
  updated_at: Date;
  closed_at: Date | null;
}

const columns: (keyof Row)[] = [
  'id',
  'customer_id',
  'written_under',
  'renewal_id',
  'communication_id',
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
  'due_by_itself',
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

export type Told = Omit<Task, 'responsible_agent'>;

/** As it is read, by who deals today with what its owner has. */
export const shown = (stored: StoredTask, responsible: Responsible): Task => ({
  ...told(stored),
  responsible_agent: responsible[stored.status === 'OPEN' ? 'open' : 'closed'](ownerOf(stored)),
});

/** What of it is anybody's business. */
export function told(stored: StoredTask): Told {
  const {
    written_under: _______,
    alerted_date: _,
    put_off_to: __,
    due_by_itself: ______,
    renewal_agent: ___,
    customer_agent: ____,
    given_to: _____,
    ...task
  } = stored;
  return task;
}

/** Others are told of it by then. Answers it with whose it is: whom the id leads to that it was made under. */
export async function insertTask(trx: Trx, task: StoredTask): Promise<StoredTask> {
  const [made] = await trx('tasks')
    .insert({ ...task, told: task.version })
    .returning(['customer_id', 'written_under']);
  return { ...task, ...made };
}

export async function findTask(db: Db | Trx, id: string): Promise<StoredTask | undefined> {
  const row = await db<Row>('tasks').where({ id }).first(columns);
  return row && toTask(row);
}

export async function lockTask(trx: Trx, id: string): Promise<StoredTask | undefined> {
  const row = await trx<Row>('tasks').where({ id }).forUpdate().first(columns);
  return row && toTask(row);
}

/** In the order of ids, in which everybody locks. */
export async function lockTasks(trx: Trx, ids: readonly string[]): Promise<StoredTask[]> {
  const found = await trx<Row>('tasks')
    .whereIn('id', [...ids])
    .orderBy('id')
    .forUpdate()
    .select(columns);
  return found.map(toTask);
}

export async function renewalsOfTasks(trx: Trx, ids: readonly string[]): Promise<string[]> {
  const found = await trx<Row>('tasks')
    .whereIn('id', [...ids])
    .whereNotNull('renewal_id')
    .distinct('renewal_id');
  return found.flatMap(({ renewal_id }) => renewal_id ?? []);
}

const OWNER = "coalesce(t.assigned_agent, t.renewal_agent, t.customer_agent, '')";

/** What a person gave to this agent, or nothing else would take along: an alert's task goes where its renewal goes. */
const GIVEN = `${OWNER} = :agent AND t.state_order = 0 AND t.assigned_agent = :agent
  AND (t.rung IS NULL OR t.given_to IS DISTINCT FROM t.assigned_agent)`;

export async function idsGivenTo(trx: Trx, agent: string, limit: number): Promise<string[]> {
  const found = await rows<{ id: string }>(trx, `SELECT t.id FROM tasks t WHERE ${GIVEN} ORDER BY t.id LIMIT :limit`, {
    agent,
    limit,
  });
  return found.map(({ id }) => id);
}

export async function countGivenTo(trx: Trx, agent: string): Promise<number> {
  const { count } = await oneRow<{ count: number }>(trx, `SELECT count(*)::int AS count FROM tasks t WHERE ${GIVEN}`, {
    agent,
  });
  return count;
}

/** The open one that an alert made; whoever asks has locked the renewal's row. */
export async function lockOpenTask(trx: Trx, renewal_id: string): Promise<StoredTask | undefined> {
  const row = await trx<Row>('tasks')
    .where({ renewal_id, status: 'OPEN' })
    .whereNotNull('rung')
    .forUpdate()
    .first(columns);
  return row && toTask(row);
}

/** `isTold`: others are told of this version of it by then. */
export async function saveTask(trx: Trx, { id, created_at: _, ...task }: StoredTask, isTold: boolean): Promise<void> {
  await trx('tasks')
    .where({ id })
    .update(isTold ? { ...task, told: task.version } : task);
}

/** Those whose present version nobody was told of; told from now on. */
export async function takeUntold(trx: Trx, limit: number): Promise<StoredTask[]> {
  const untold = await rows<Row>(
    trx,
    `UPDATE tasks t SET told = version
     WHERE id IN (SELECT id FROM tasks WHERE told < version AND (status = 'OPEN' OR told > 0)
                  ORDER BY id LIMIT :limit FOR UPDATE)
     RETURNING ${columns.map((name) => `t.${name}`).join(', ')}`,
    { limit },
  );
  return untold.map(toTask);
}

/** All of these renewals, closed ones too; in the order of ids, in which everybody locks. */
export async function lockTasksOf(trx: Trx, renewalIds: readonly string[]): Promise<StoredTask[]> {
  const found = await trx<Row>('tasks')
    .whereIn('renewal_id', [...renewalIds])
    .orderBy('id')
    .forUpdate()
    .select(columns);
  return found.map(toTask);
}

const MADE_UNDER = `(t.written_under = ANY (CAST(:ids AS text[]))
  OR t.written_under IS NULL AND t.customer_id = ANY (CAST(:ids AS text[])))`;

/** Whose tasks become others': made under these ids, and not yet, or no longer, whose those are. */
export async function customersToMoveTo(trx: Trx, ids: readonly string[]): Promise<string[]> {
  const found = await rows<{ leads_to: string }>(
    trx,
    `SELECT DISTINCT leads_to(coalesce(t.written_under, t.customer_id)) FROM tasks t
     WHERE ${MADE_UNDER} AND t.customer_id <> leads_to(coalesce(t.written_under, t.customer_id))`,
    { ids },
  );
  return found.map(({ leads_to }) => leads_to);
}

/** Whoever follows them to another agent comes before, or finds what is theirs by then. Whom nobody follows yet is asked for. */
export async function holdCustomers(trx: Trx, customerIds: readonly string[]): Promise<void> {
  await execute(
    trx,
    `INSERT INTO followed_customers AS f (customer_id)
     SELECT id FROM unnest(CAST(:ids AS text[])) AS these (id) ORDER BY id
     ON CONFLICT (customer_id) DO UPDATE SET version = f.version`,
    { ids: customerIds },
  );
}

/** Answers the open ones as they were, with whose they are by now; what is closed goes along unseen. */
export async function moveTasks(
  trx: Trx,
  ids: readonly string[],
): Promise<{ task: StoredTask; leads_to: string; customer_agent: string | null }[]> {
  const found = await rows<Row & { leads_to: string; agent: string | null }>(
    trx,
    `SELECT ${columns.map((name) => `t.${name}`).join(', ')}, w.leads_to, f.assigned_agent AS agent
     FROM tasks t
     CROSS JOIN LATERAL (SELECT leads_to(coalesce(t.written_under, t.customer_id))) w
     LEFT JOIN followed_customers f ON f.customer_id = w.leads_to
     WHERE ${MADE_UNDER} AND t.customer_id <> w.leads_to
     ORDER BY t.id FOR UPDATE OF t`,
    { ids },
  );
  await execute(
    trx,
    `UPDATE tasks t SET written_under = coalesce(t.written_under, t.customer_id),
            customer_id = leads_to(coalesce(t.written_under, t.customer_id))
     WHERE t.id = ANY (CAST(:closed AS uuid[]))`,
    { closed: found.filter(({ status }) => status !== 'OPEN').map(({ id }) => id) },
  );
  return found.flatMap(({ leads_to, agent, ...row }) =>
    row.status === 'OPEN' ? [{ task: toTask(row), leads_to, customer_agent: agent }] : [],
  );
}

/** Customers with open tasks whom nobody follows; the version before makes tasks beside this one and adds none. */
export async function addUnheard(trx: Trx): Promise<void> {
  await execute(
    trx,
    `INSERT INTO followed_customers (customer_id)
     SELECT DISTINCT t.customer_id FROM tasks t
     WHERE t.status = 'OPEN' AND NOT EXISTS (SELECT FROM followed_customers f WHERE f.customer_id = t.customer_id)
     ORDER BY t.customer_id ON CONFLICT DO NOTHING`,
    {},
  );
}

/** Of these customers those who have an agent by now whom the task does not know; in the order of ids. */
export async function lockOvertaken(
  trx: Trx,
  customerIds: readonly string[],
): Promise<{ task: StoredTask; customer_agent: string | null }[]> {
  const found = await rows<Row & { agent: string | null }>(
    trx,
    `SELECT ${columns.map((name) => `t.${name}`).join(', ')}, f.assigned_agent AS agent
     FROM tasks t JOIN followed_customers f ON f.customer_id = t.customer_id
     WHERE t.customer_id = ANY (CAST(:ids AS text[])) AND t.customer_agent IS DISTINCT FROM f.assigned_agent
     ORDER BY t.id FOR UPDATE OF t`,
    { ids: customerIds },
  );
  return found.map(({ agent, ...row }) => ({ task: toTask(row), customer_agent: agent }));
}

/** Whose open tasks do not know the agent they have: made meanwhile, or by the version before. */
export async function findCustomersToPutRight(db: Db, limit: number): Promise<string[]> {
  const found = await rows<{ customer_id: string }>(
    db,
    `SELECT DISTINCT t.customer_id FROM tasks t JOIN followed_customers f ON f.customer_id = t.customer_id
     WHERE t.status = 'OPEN' AND f.version > 0 AND t.customer_agent IS DISTINCT FROM f.assigned_agent
     LIMIT :limit`,
    { limit },
  );
  return found.map(({ customer_id }) => customer_id);
}

export interface TaskPosition {
  state: number;
  urgency: number;
  due: number;
  id: string;
}

type Listed = TaskPosition & { task: StoredTask };

const isOneOf = (owners: Owners, list: string): string =>
  'of' in owners ? `${OWNER} = ANY (CAST(:${list} AS text[]))` : `${OWNER} <> ALL (CAST(:${list} AS text[]))`;

/** By the column that `tasks_of_owner` goes on with, so that it finds either kind. */
function isOwnedBy({ open, closed }: OwnersOf, status: Task['status'] | undefined): string {
  const [ofOpen, ofClosed] = [isOneOf(open, 'open'), isOneOf(closed, 'closed')];
  if (status !== undefined) return status === 'OPEN' ? ofOpen : ofClosed;
  return `(t.state_order = 0 AND ${ofOpen} OR t.state_order > 0 AND ${ofClosed})`;
}

const idsIn = (owners: Owners): readonly string[] => ('of' in owners ? owners.of : owners.notOf);

export type TaskListing = Omit<TaskQuery, 'assigned_agent' | 'cursor'> & { owners: OwnersOf | undefined };

/** Follows `tasks_most_urgent`, or the index of what is asked for, which has the same order; words are found by `tasks_by_words`. */
export async function listTasks(db: Db, listing: TaskListing, after: TaskPosition | undefined, limit: number) {
  const { status, priority, owners, customer_id, renewal_id, due_to, q } = listing;
  const conditions = [
    status && 't.status = :status',
    priority && 't.priority = :priority',
    owners && isOwnedBy(owners, status),
    customer_id && 't.customer_id = :customer_id',
    renewal_id && 't.renewal_id = CAST(:renewal_id AS uuid)',
    due_to && 't.due_date <= CAST(:due_to AS date)',
    q && "words_of(t.title || ' ' || coalesce(t.notes, '')) @@ words_asked(:q)",
    after &&
      `(t.state_order, t.urgency, t.due_order, t.id)
         > (CAST(:state AS bigint), CAST(:urgency AS bigint), CAST(:due AS bigint), CAST(:id AS uuid))`,
  ].filter(Boolean);
  const listed = await rows<ListRow>(
    db,
    `SELECT ${columns.map((name) => `t.${name}`).join(', ')}, t.state_order, t.urgency, t.due_order
     FROM tasks t WHERE ${conditions.join(' AND ') || 'true'}
     ORDER BY t.state_order, t.urgency, t.due_order, t.id LIMIT :limit`,
    {
      status: status ?? null,
      priority: priority ?? null,
      ...(owners && { open: idsIn(owners.open), closed: idsIn(owners.closed) }),
      customer_id: customer_id ?? null,
      renewal_id: renewal_id ?? null,
      due_to: due_to ?? null,
      q: q ?? null,
      ...after,
      limit,
    },
  );
  return listed.map(toListed);
}

type ListRow = Row & { state_order: number; urgency: number; due_order: number };

function toListed({ state_order: state, urgency, due_order: due, ...row }: ListRow): Listed {
  const task = toTask(row);
  return { state, urgency, due, id: task.id, task };
}
