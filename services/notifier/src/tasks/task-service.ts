import { daysBetween } from '@ops/contracts/dates';
import type { Envelope } from '@ops/contracts/envelope';
import type { CreateTask, PatchTask, Task, TaskQuery } from '@ops/contracts/resources/task';
import type { Actor } from '@ops/contracts/roles';
import type { Db, Trx } from '@ops/service-kit/database';
import { conflict, notFound, unavailable, unprocessable } from '@ops/service-kit/errors';
import { requireMatch } from '@ops/service-kit/http-app';
import { InternalCallError } from '@ops/service-kit/internal-client';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { customerOf, lockRenewal } from '../planning/followed-store.ts';
import type { Followed } from '../planning/planning.ts';
import { absentOn } from './agent-store.ts';
import { assignee, handedOver, isSame, patched, raised, type Wanted, withRenewal } from './task.ts';
import * as store from './task-store.ts';

/** One open task for a renewal, at least as urgent as this; answers its id. The renewal's row is locked by then. */
export async function ensureTask(deps: Deps, trx: Trx, wanted: Wanted, cause: Envelope): Promise<string> {
  const open = await store.lockOpenTask(trx, wanted.renewal_id);
  const concerned = [open?.assigned_agent, ...wanted.agents].filter((agent) => !!agent) as string[];
  const absent = await absentOn(trx, deps.today(), concerned);
  if (!open) return insert(deps, trx, newTask(deps, wanted, assignee(wanted.agents, absent)), cause);
  await change(deps, trx, open, { ...open, ...raised(open, wanted, absent) }, cause);
  return open.id;
}

function newTask({ now }: Deps, wanted: Wanted, assigned_agent: string | null): store.StoredTask {
  const { renewal_id, customer_id, due_date, rung, priority, title, note, agents } = wanted;
  const at = now().toISOString();
  return {
    ...{ id: uuidv7(), renewal_id, customer_id, due_date, rung, alerted_date: due_date, priority, title, notes: note },
    ...{ assigned_agent, renewal_agent: agents[0] ?? null },
    ...{ status: 'OPEN', created_by: null, closed_because: null, closed_at: null },
    ...{ version: 1, created_at: at, updated_at: at },
  };
}

async function insert(deps: Deps, trx: Trx, task: store.StoredTask, cause?: Envelope): Promise<string> {
  await store.insertTask(trx, task);
  await tell(deps, trx, task, cause);
  return task.id;
}

/** Says nothing when nothing changed. */
async function change(deps: Deps, trx: Trx, task: store.StoredTask, wanted: store.StoredTask, cause?: Envelope) {
  if (isSame(task, wanted)) return task;
  const changed = { ...wanted, version: task.version + 1, updated_at: deps.now().toISOString() };
  await store.saveTask(trx, changed);
  await tell(deps, trx, changed, cause);
  return changed;
}

async function tell({ outbox }: Deps, trx: Trx, task: store.StoredTask, cause?: Envelope): Promise<void> {
  const { id: task_id, title: _, notes: __, created_at: ___, updated_at: occurred_at, ...told } = store.shown(task);
  await outbox.add(trx, { type: 'task.changed', data: { ...told, task_id, occurred_at }, cause });
}

/**
 * Closes what a renewal that is over, or due on another day, leaves to nobody; a reopened one gets its task back, and one
 * that is given to another agent takes its task along.
 */
export async function followTasks(deps: Deps, trx: Trx, renewals: readonly Followed[]): Promise<void> {
  const tasks = await store.lockTasksOf(
    trx,
    renewals.map(({ renewal_id }) => renewal_id),
  );
  const at = deps.now().toISOString();
  const agents = renewals.flatMap(({ assigned_agent }) => assigned_agent ?? []);
  const absent = await absentOn(trx, deps.today(), agents);
  for (const renewal of renewals) {
    const own = tasks.filter((task) => task.renewal_id === renewal.renewal_id);
    const daysUntil = daysBetween(deps.today(), renewal.due_date);
    const changes = new Map(withRenewal(own, renewal, at, daysUntil));
    for (const task of own) {
      const wanted = handedOver(changes.get(task) ?? task, renewal.assigned_agent, absent);
      await change(deps, trx, task, wanted);
    }
  }
}

export async function createTask(deps: Deps, trx: Trx, input: CreateTask, actor: Actor): Promise<Task> {
  await refuseUnknown(deps, trx, input);
  const at = deps.now().toISOString();
  const {
    customer_id,
    title,
    priority,
    renewal_id = null,
    notes = null,
    due_date = null,
    assigned_agent = null,
  } = input;
  const task: store.StoredTask = {
    ...{ id: uuidv7(), customer_id, renewal_id, title, notes, priority, due_date, assigned_agent },
    ...{
      rung: null,
      alerted_date: null,
      renewal_agent: null,
      status: 'OPEN',
      created_by: actor.sub,
      closed_because: null,
      closed_at: null,
    },
    ...{ version: 1, created_at: at, updated_at: at },
  };
  await insert(deps, trx, task);
  return store.shown(task);
}

async function refuseUnknown({ comms }: Deps, trx: Trx, { customer_id, renewal_id }: CreateTask): Promise<void> {
  const cards = await comms.cards([customer_id]).catch((error: unknown) => {
    throw error instanceof InternalCallError ? unavailable('Customers cannot be looked up at the moment') : error;
  });
  if (cards.length === 0) throw unprocessable([{ path: 'customer_id', message: 'is not a known customer' }]);
  const owner = renewal_id ? await customerOf(trx, renewal_id) : undefined;
  if (owner !== undefined && owner !== customer_id)
    throw unprocessable([{ path: 'renewal_id', message: 'is not a renewal of this customer' }]);
}

export async function patchTask(deps: Deps, trx: Trx, id: string, patch: PatchTask, ifMatch: string | undefined) {
  const known = await store.findTask(trx, id);
  // Before the task itself, as alerts do it: or the two would wait for each other.
  if (known?.renewal_id) await lockRenewal(trx, known.renewal_id);
  const task = known && (await store.lockTask(trx, id));
  if (!task) throw notFound(`There is no task ${id}`);
  requireMatch(ifMatch, task.version);
  const wanted = { ...task, ...patched(task, patch, deps.now().toISOString()) };
  if (task.status !== 'OPEN' && wanted.status === 'OPEN') await refuseSecondOpen(trx, task);
  return store.shown(await change(deps, trx, task, wanted));
}

async function refuseSecondOpen(trx: Trx, { rung, renewal_id }: store.StoredTask): Promise<void> {
  if (rung !== null && renewal_id !== null && (await store.lockOpenTask(trx, renewal_id)))
    throw conflict('Another task of this renewal is open already');
}

export async function listTasks(db: Db, query: TaskQuery) {
  const position = decodeCursor(query.cursor, ['number', 'number', 'number', 'uuid']);
  const after = position && { state: position[0], urgency: position[1], due: position[2], id: position[3] };
  const rows = await store.listTasks(db, query, after, query.limit + 1);
  const page = toPage(rows, query.limit, ({ state, urgency, due, id }) => [state, urgency, due, id]);
  return { ...page, data: page.data.map(({ task }) => task) };
}
