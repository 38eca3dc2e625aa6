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
import type { Followed } from '../followed/followed.rules.ts';
import { learn, lockRenewals } from '../followed/followed-service.ts';
import { absentOn } from './agent-store.ts';
import {
  currentOf,
  following,
  givenByItself,
  isSame,
  type Now,
  patched,
  raised,
  type StoredTask,
  standing,
  type Wanted,
} from './task.rules.ts';
import * as store from './task-store.ts';

/**
 * One task for a renewal, at least as urgent as this and open as long as that is; answers its id. The renewal's row is
 * locked by then, and `renewal` may be ahead of what its tasks were told, or the alert behind it.
 */
export async function ensureTask(
  deps: Deps,
  trx: Trx,
  wanted: Wanted,
  renewal: Followed,
  cause: Envelope,
): Promise<string> {
  const current = currentOf(await store.lockTasksOf(trx, [wanted.renewal_id]));
  const holders = [current?.assigned_agent, current?.customer_agent];
  const now = await nowOf(deps, trx, [...holders, wanted.renewal_agent, wanted.customer_agent]);
  if (!current || current.put_off_to === wanted.due_date)
    return insert(deps, trx, standing(newTask(wanted, now), renewal, now), cause);
  await change(deps, trx, current, standing(raised(current, wanted, now.absent), renewal, now), cause);
  return current.id;
}

async function nowOf(deps: Deps, trx: Trx, agents: readonly (string | null | undefined)[]): Promise<Now> {
  const today = deps.today();
  const named = agents.filter((agent) => typeof agent === 'string');
  return { at: deps.now().toISOString(), today, absent: await absentOn(trx, today, named) };
}

function newTask(wanted: Wanted, { at, absent }: Now): StoredTask {
  const { renewal_id, customer_id, due_date, rung, priority, title, note } = wanted;
  const agents = { renewal_agent: wanted.renewal_agent, customer_agent: wanted.customer_agent ?? null };
  return {
    id: uuidv7(),
    renewal_id,
    customer_id,
    due_date,
    rung,
    priority,
    title,
    notes: note,
    alerted_date: due_date,
    put_off_to: null,
    ...agents,
    ...givenByItself(agents, absent),
    status: 'OPEN',
    created_by: null,
    closed_because: null,
    closed_at: null,
    version: 1,
    created_at: at,
    updated_at: at,
  };
}

async function insert(deps: Deps, trx: Trx, task: StoredTask, cause?: Envelope): Promise<string> {
  await store.insertTask(trx, task);
  await tell(deps, trx, task, cause);
  return task.id;
}

/** Says nothing when nothing changed that anybody sees. */
async function change(deps: Deps, trx: Trx, task: StoredTask, wanted: StoredTask, cause?: Envelope) {
  if (isSame(task, wanted)) return task;
  const isSeen = !isSame(store.shown(task), store.shown(wanted));
  const news = isSeen ? { version: task.version + 1, updated_at: deps.now().toISOString() } : {};
  const changed = { ...wanted, ...news };
  await store.saveTask(trx, changed);
  if (isSeen) await tell(deps, trx, changed, cause);
  return changed;
}

async function tell({ outbox }: Deps, trx: Trx, task: StoredTask, cause?: Envelope): Promise<void> {
  const { id: task_id, title: _, notes: __, created_at: ___, updated_at: occurred_at, ...told } = store.shown(task);
  await outbox.add(trx, { type: 'task.changed', data: { ...told, task_id, occurred_at }, cause });
}

/**
 * Closes what a renewal that is over, or due on another day, leaves to nobody; a reopened one, and one whose date is put
 * right, gets its task back, and one that is given to another agent takes its task along.
 */
export async function followTasks(deps: Deps, trx: Trx, renewals: readonly Followed[]): Promise<void> {
  const ids = renewals.map(({ renewal_id }) => renewal_id);
  const tasks = await store.lockTasksOf(trx, ids);
  const agents = [...renewals.map((one) => one.assigned_agent), ...tasks.map((one) => one.customer_agent)];
  const now = await nowOf(deps, trx, agents);
  const tasksOf = Map.groupBy(tasks, ({ renewal_id }) => renewal_id);
  for (const renewal of renewals)
    for (const task of following(tasksOf.get(renewal.renewal_id) ?? []))
      await change(deps, trx, task, standing(task, renewal, now));
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
  const task: StoredTask = {
    id: uuidv7(),
    customer_id,
    renewal_id,
    title,
    notes,
    priority,
    due_date,
    assigned_agent,
    rung: null,
    alerted_date: null,
    put_off_to: null,
    renewal_agent: null,
    customer_agent: null,
    given_to: null,
    status: 'OPEN',
    created_by: actor.sub,
    closed_because: null,
    closed_at: null,
    version: 1,
    created_at: at,
    updated_at: at,
  };
  await insert(deps, trx, task);
  return store.shown(task);
}

/** Others are asked before anything is locked. */
async function refuseUnknown(deps: Deps, trx: Trx, { customer_id, renewal_id }: CreateTask): Promise<void> {
  const cards = await deps.comms.cards([customer_id]).catch(cannotAsk('Customers'));
  if (cards.length === 0) throw unprocessable([{ path: 'customer_id', message: 'is not a known customer' }]);
  if (renewal_id && (await takeRenewal(deps, trx, renewal_id)) !== customer_id)
    throw unprocessable([{ path: 'renewal_id', message: 'is not a renewal of this customer' }]);
}

/**
 * Holds it until the task is there, and answers whose it is: whoever closes its tasks comes before, or finds this one too.
 * One that is over already may have a task all the same, which stays open: whoever makes it knows. A word of the renewal
 * that comes later closes it like the others.
 */
async function takeRenewal(deps: Deps, trx: Trx, renewal_id: string): Promise<string> {
  const [known] = (await lockRenewals(trx, [renewal_id])).values();
  if (known) return known.customer_id;
  const standing = await deps.renewals.standing(renewal_id).catch((error: unknown) => {
    if (!(error instanceof InternalCallError && error.status === 404)) return cannotAsk('Renewals')(error);
    throw unprocessable([{ path: 'renewal_id', message: 'is not a known renewal' }]);
  });
  await learn(trx, [{ renewal_id, ...standing }], { overTheSameVersion: false });
  return standing.customer_id;
}

const cannotAsk = (what: string) => (error: unknown) => {
  throw error instanceof InternalCallError ? unavailable(`${what} cannot be looked up at the moment`) : error;
};

export async function patchTask(deps: Deps, trx: Trx, id: string, patch: PatchTask, ifMatch: string | undefined) {
  const known = await store.findTask(trx, id);
  // Before the task itself, as alerts do it: or the two would wait for each other.
  if (known?.renewal_id) await lockRenewals(trx, [known.renewal_id]);
  const task = known && (await store.lockTask(trx, id));
  if (!task) throw noTask(id);
  requireMatch(ifMatch, task.version);
  const wanted = patched(task, patch, deps.now().toISOString());
  if (task.status !== 'OPEN' && wanted.status === 'OPEN') await refuseSecondOpen(trx, task);
  return store.shown(await change(deps, trx, task, wanted));
}

async function refuseSecondOpen(trx: Trx, { rung, renewal_id }: StoredTask): Promise<void> {
  if (rung !== null && renewal_id !== null && (await store.lockOpenTask(trx, renewal_id)))
    throw conflict('Another task of this renewal is open already');
}

const noTask = (id: string) => notFound(`There is no task ${id}`);

export async function getTask(db: Db, id: string): Promise<Task> {
  const task = await store.findTask(db, id);
  if (!task) throw noTask(id);
  return store.shown(task);
}

export async function listTasks(db: Db, query: TaskQuery) {
  const position = decodeCursor(query.cursor, ['number', 'number', 'number', 'uuid']);
  const after = position && { state: position[0], urgency: position[1], due: position[2], id: position[3] };
  const rows = await store.listTasks(db, query, after, query.limit + 1);
  const page = toPage(rows, query.limit, ({ state, urgency, due, id }) => [state, urgency, due, id]);
  return { ...page, data: page.data.map(({ task }) => task) };
}
