import type { Envelope } from '@ops/contracts/envelope';
import type { EventOf } from '@ops/contracts/events';
import type { CreateTask, PatchTask, Task, TaskQuery } from '@ops/contracts/resources/task';
import type { Actor } from '@ops/contracts/roles';
import { ownersToday, responsibleToday } from '@ops/following/agent-service';
import { agentOf, askForUnheard, type Told as CustomersTold, keepNewer } from '@ops/following/customer-service';
import { describe, followMerges as follow, heldLead, leadsTo, type Merge } from '@ops/following/merge-service';
import { audit } from '@ops/service-kit/auditing';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import { conflict, notFound, unprocessable } from '@ops/service-kit/errors';
import { type HistoryQuery, historyOf } from '@ops/service-kit/history';
import { requireMatch } from '@ops/service-kit/http-app';
import { InternalCallError, unavailableWithout } from '@ops/service-kit/internal-client';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { v7 as uuidv7 } from 'uuid';
import { taskDueOn } from '../calendar/calendar.rules.ts';
import { workingTime } from '../calendar/calendar-service.ts';
import type { Deps } from '../deps.ts';
import { type Followed, writtenUnder } from '../followed/followed.rules.ts';
import { learn, lockRenewals, moveWrittenUnder } from '../followed/followed-service.ts';
import { moveSends } from '../sending/send-service.ts';
import { namesOf, refuseUnknown } from './agent-service.ts';
import {
  type Agents,
  currentOf,
  following,
  givenByItself,
  handedOver,
  isSame,
  type Now,
  noted,
  ownerOf,
  patched,
  raised,
  type StoredTask,
  standing,
  toConfirm,
  toLookAt,
  untouched,
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
  cause: Envelope | undefined,
): Promise<string> {
  const current = currentOf(await store.lockTasksOf(trx, [wanted.renewal_id]));
  const now = await nowOf(deps, trx);
  if (!current || current.put_off_to === wanted.due_date) {
    const { customer_agent = await agentOf(trx, wanted.customer_id) } = wanted;
    const task = newTask({ ...wanted, customer_id: writtenUnder(renewal), customer_agent }, now);
    return (await insert(deps, trx, standing(task, renewal, now), cause)).id;
  }
  await change(deps, trx, current, standing(raised(current, wanted), renewal, now), cause);
  return current.id;
}

/** Somebody who has it open reads it there; what is closed stays as it is. The renewal's row is locked by then. */
export async function noteInTask(
  deps: Deps,
  trx: Trx,
  id: string,
  note: string,
  cause: Envelope | undefined,
): Promise<void> {
  const task = await store.lockTask(trx, id);
  if (task) await change(deps, trx, task, noted(task, note), cause);
}

async function nowOf(deps: Deps, trx: Trx): Promise<Now> {
  const [time, today] = [await workingTime(deps, trx), deps.today()];
  return { at: deps.now().toISOString(), today, dueOn: (date) => taskDueOn(time, date, today) };
}

function newTask(wanted: Wanted & { customer_agent: string | null }, { at, dueOn }: Now): StoredTask {
  const { renewal_id, customer_id, due_date, rung, priority, title, note, renewal_agent, customer_agent } = wanted;
  const agents = { renewal_agent, customer_agent };
  const asked = { renewal_id, customer_id, rung, priority, title, notes: note, alerted_date: due_date };
  const due = { due_date: dueOn(due_date), due_by_itself: dueOn(due_date) };
  return { ...untouched(uuidv7(), at), ...asked, ...due, ...agents, ...givenByItself(agents) };
}

/** Its customer is the id it is written under, whoever that leads to. */
async function insert(deps: Deps, trx: Trx, written: StoredTask, cause?: Envelope): Promise<StoredTask> {
  const task = await store.insertTask(trx, written);
  await audit(trx, { subject: subjectOf(task), before: undefined, after: auditedOf(task) });
  await tell(deps, trx, task, cause);
  return task;
}

/** Says nothing when nothing changed that anybody sees. */
async function change(deps: Deps, trx: Trx, task: StoredTask, wanted: StoredTask, cause?: Envelope) {
  if (isSame(task, wanted)) return task;
  const isAnothers = wanted.status === 'OPEN' && ownerOf(task) !== ownerOf(wanted);
  const isSeen = isAnothers || !isSame(store.told(task), store.told(wanted));
  const news = isSeen ? { version: task.version + 1, updated_at: deps.now().toISOString() } : {};
  const changed = { ...wanted, ...news };
  await store.saveTask(trx, changed, isSeen);
  await audit(trx, { subject: subjectOf(task), before: auditedOf(task), after: auditedOf(changed) });
  if (isSeen) await tell(deps, trx, changed, cause);
  return changed;
}

const subjectOf = ({ id, customer_id }: StoredTask) => ({ kind: 'task' as const, id, customer_id });

/** What people change, and not what follows from it. */
const auditedOf = ({ renewal_id, title, notes, priority, status, due_date, assigned_agent }: StoredTask) => ({
  renewal_id,
  title,
  notes,
  priority,
  status,
  due_date,
  assigned_agent,
});

async function tell({ outbox }: Pick<Deps, 'outbox'>, trx: Trx, task: StoredTask, cause?: Envelope): Promise<void> {
  const { id: task_id, updated_at: occurred_at, ...shown } = store.told(task);
  const { title: _, notes: __, communication_id: ___, created_at: ____, ...told } = shown;
  await outbox.add(trx, { type: 'task.changed', data: { ...told, task_id, occurred_at }, cause });
}

const mostToldAtOnce = 500;

/** Those that nobody was told of: after an upgrade all that are open, later those that the version before changes beside this one. */
export async function tellUntold(deps: Pick<Deps, 'outbox'>, db: Db, goesOn = () => true): Promise<void> {
  const tellSome = async (trx: Trx) => {
    const untold = await store.takeUntold(trx, mostToldAtOnce);
    for (const task of untold) await tell(deps, trx, task);
    return untold.length;
  };
  while (goesOn()) if ((await inTransaction(db, tellSome)) < mostToldAtOnce) return;
}

/** What upstream says to have ended, somebody asks the customer about. */
export async function askToConfirm(
  deps: Deps,
  trx: Trx,
  endings: readonly EventOf<'renewal.source_ended'>[],
): Promise<void> {
  for (const ending of endings) {
    const { written_under, customer_id } = ending.data;
    const customer_agent = await agentOf(trx, await heldLead(trx, written_under ?? customer_id));
    const task = toConfirm(ending.data, { id: uuidv7(), customer_agent }, await nowOf(deps, trx));
    await insert(deps, trx, task, ending);
  }
}

/** A task each, which stays until somebody closes it: nobody misses it by having no page open. */
export async function tellMentioned(
  deps: Deps,
  trx: Trx,
  mentions: readonly EventOf<'note.mentioned'>[],
): Promise<void> {
  const names = await namesOf(
    trx,
    mentions.flatMap(({ data }) => [data.mentioned_by, ...data.agents]),
  );
  const nameOf = (id: string) => names.get(id) ?? id;
  for (const mention of mentions) {
    const customer_agent = await agentOf(trx, await heldLead(trx, mention.data.customer_id));
    for (const agent of mention.data.agents) {
      const whose = { id: uuidv7(), agent, customer_agent };
      await insert(deps, trx, toLookAt(mention.data, whose, nameOf, await nowOf(deps, trx)), mention);
    }
  }
}

/**
 * Closes what a renewal that is over, or due on another day, leaves to nobody; a reopened one, and one whose date is put
 * right, gets its task back, and one that is given to another agent takes its task along. `askedFor`: the renewals whose
 * newest alert about their present date asks for a task.
 */
export async function followTasks(
  deps: Deps,
  trx: Trx,
  renewals: readonly Followed[],
  askedFor: ReadonlySet<string>,
): Promise<void> {
  const ids = renewals.map(({ renewal_id }) => renewal_id);
  const tasks = await store.lockTasksOf(trx, ids);
  const now = await nowOf(deps, trx);
  const tasksOf = Map.groupBy(tasks, ({ renewal_id }) => renewal_id);
  for (const renewal of renewals)
    for (const task of following(tasksOf.get(renewal.renewal_id) ?? []))
      await change(deps, trx, task, standing(task, renewal, now, askedFor.has(renewal.renewal_id)));
}

/** Keeps up with who and whose customers are: their tasks go along. */
export async function followCustomers(deps: Deps, trx: Trx, { facts, merges }: CustomersTold): Promise<void> {
  await followMerges(deps, trx, merges);
  await keepNewer(trx, facts);
  await takeAlong(
    deps,
    trx,
    facts.map(({ customer_id }) => customer_id),
  );
}

/** Keeps up with whose ids are: what was written under them is the customer's whom they lead to, and waits with what is theirs. */
export const followMerges = (deps: Deps, trx: Trx, merges: readonly Merge[]): Promise<void> =>
  follow(trx, merges, async (_, ids) => {
    await moveWrittenUnder(trx, ids);
    await store.holdCustomers(trx, await store.customersToMoveTo(trx, ids));
    for (const { task, leads_to, customer_agent } of await store.moveTasks(trx, ids)) {
      const moved = { ...task, customer_id: leads_to, written_under: task.written_under ?? task.customer_id };
      await change(deps, trx, task, handedOver(moved, { renewal_agent: task.renewal_agent, customer_agent }));
    }
    await moveSends(trx, ids);
  });

/** At first start, of customers nobody told of since; then tasks that stand as the version before left them. */
export async function catchUpWithCustomers(deps: Deps, db: Db, goesOn?: () => boolean): Promise<void> {
  await inTransaction(db, store.addUnheard);
  await askForUnheard(deps.comms, db, (trx, told) => followCustomers(deps, trx, told), goesOn);
  await putRight(deps, db);
}

/** Of these customers, tasks that do not know the agent they have by now. */
async function takeAlong(deps: Deps, trx: Trx, customerIds: readonly string[]): Promise<void> {
  for (const { task, customer_agent } of await store.lockOvertaken(trx, customerIds))
    await change(deps, trx, task, handedOver(task, { renewal_agent: task.renewal_agent, customer_agent }));
}

const mostPutRight = 200;

/** A task that was made while its customer was given to another agent knows the one before. */
async function putRight(deps: Deps, db: Db): Promise<void> {
  const ids = await store.findCustomersToPutRight(db, mostPutRight);
  if (ids.length > 0) await inTransaction(db, (trx) => takeAlong(deps, trx, ids));
}

export async function createTask(deps: Deps, trx: Trx, input: CreateTask, actor: Actor): Promise<Task> {
  await refuseUnknown(trx, 'assigned_agent', input.assigned_agent, null);
  const { agents, customer_id } = await ownersBehind(deps, trx, input);
  const at = deps.now().toISOString();
  const { title, priority, renewal_id = null, notes = null, due_date = null, assigned_agent = null } = input;
  const asked = { customer_id, renewal_id, title, notes, priority, due_date, assigned_agent, created_by: actor.sub };
  const task = { ...untouched(uuidv7(), at), ...asked, ...agents };
  return show(deps, trx, await insert(deps, trx, task));
}

const show = async (deps: Deps, db: Db | Trx, task: StoredTask): Promise<Task> =>
  store.shown(task, await responsibleToday(deps, db));

interface Behind {
  agents: Agents;
  /** The id it is written under: that of its renewal, with which it goes. */
  customer_id: string;
}

/** Others are asked before anything is locked; whoever nobody knows is refused. */
async function ownersBehind(deps: Deps, trx: Trx, { customer_id, renewal_id }: CreateTask): Promise<Behind> {
  const { cards, merges } = await describe(deps.comms, [customer_id]).catch(unavailableWithout('Customers'));
  const card = cards.get(customer_id);
  if (!card) throw unprocessable([{ path: 'customer_id', message: 'is not a known customer' }]);
  await followMerges(deps, trx, merges);
  const renewal = renewal_id ? await takeRenewal(deps, trx, renewal_id) : undefined;
  if (renewal && renewal.customer_id !== (await heldLead(trx, customer_id)))
    throw unprocessable([{ path: 'renewal_id', message: 'is not a renewal of this customer' }]);
  const agents = { renewal_agent: renewal?.assigned_agent ?? null, customer_agent: card.assigned_agent };
  return { agents, customer_id: renewal ? writtenUnder(renewal) : customer_id };
}

/**
 * Holds the renewal until the task is there, and answers it: whoever closes its tasks comes before, or finds
 * this one too. A renewal that is over already may have a task all the same, which stays open: whoever makes it knows.
 * What is told of the renewal later closes it like the others.
 */
async function takeRenewal(deps: Deps, trx: Trx, renewal_id: string): Promise<Followed | undefined> {
  const [known] = (await lockRenewals(trx, [renewal_id])).values();
  if (known) return known;
  const standing = await deps.renewals.standing(renewal_id).catch((error: unknown) => {
    if (!(error instanceof InternalCallError && error.status === 404)) return unavailableWithout('Renewals')(error);
    throw unprocessable([{ path: 'renewal_id', message: 'is not a known renewal' }]);
  });
  const { written_under = null, ...told } = standing;
  return (await learn(trx, [{ renewal_id, written_under, ...told }], { overTheSameVersion: false })).get(renewal_id);
}

export async function patchTask(deps: Deps, trx: Trx, id: string, patch: PatchTask, ifMatch: string | undefined) {
  const known = await store.findTask(trx, id);
  // Before the task itself, as alerts do it: or the two would wait for each other.
  const [renewal] = known?.renewal_id ? (await lockRenewals(trx, [known.renewal_id])).values() : [];
  const task = known && (await store.lockTask(trx, id));
  if (!task) throw noTask(id);
  requireMatch(ifMatch, task.version);
  await refuseUnknown(trx, 'assigned_agent', patch.assigned_agent, task.assigned_agent);
  const renewal_agent = renewal ? renewal.assigned_agent : task.renewal_agent;
  return show(deps, trx, await changeAsAsked(deps, trx, task, patch, renewal_agent));
}

/** Its renewal's row is locked by then. */
export async function changeAsAsked(
  deps: Deps,
  trx: Trx,
  task: StoredTask,
  patch: PatchTask,
  renewal_agent: string | null,
): Promise<StoredTask> {
  const { customer_agent } = task;
  const wanted = handedOver(patched(task, patch, await nowOf(deps, trx)), { renewal_agent, customer_agent });
  if (task.status !== 'OPEN' && wanted.status === 'OPEN') await refuseSecondOpen(trx, task);
  return change(deps, trx, task, wanted);
}

async function refuseSecondOpen(trx: Trx, { rung, renewal_id }: StoredTask): Promise<void> {
  if (rung !== null && renewal_id !== null && (await store.lockOpenTask(trx, renewal_id)))
    throw conflict('Another task of this renewal is open already');
}

const noTask = (id: string) => notFound(`There is no task ${id}`);

export async function getTask(deps: Deps, db: Db, id: string): Promise<Task> {
  const task = await store.findTask(db, id);
  if (!task) throw noTask(id);
  return show(deps, db, task);
}

export async function historyOfTask(deps: Deps, db: Db, id: string, query: HistoryQuery) {
  const task = await getTask(deps, db, id);
  return historyOf(db, { kind: 'task', id: task.id }, query);
}

export async function listTasks(deps: Deps, db: Db, { assigned_agent, ...query }: TaskQuery) {
  const position = decodeCursor(query.cursor, ['number', 'number', 'number', 'uuid']);
  const after = position && { state: position[0], urgency: position[1], due: position[2], id: position[3] };
  const owners = assigned_agent === undefined ? undefined : await ownersToday(deps, db, assigned_agent);
  const customer_id = query.customer_id && (await leadsTo(db, query.customer_id));
  const rows = await store.listTasks(db, { ...query, customer_id, owners }, after, query.limit + 1);
  const responsible = await responsibleToday(deps, db);
  const page = toPage(rows, query.limit, ({ state, urgency, due, id }) => [state, urgency, due, id]);
  return { ...page, data: page.data.map(({ task }) => store.shown(task, responsible)) };
}
