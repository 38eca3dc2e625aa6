import { type HandedOver, type HandOver, mostHandedOver } from '@ops/contracts/resources/hand-over';
import type { AssignTasks, DateTasks, PatchTask, TaskOutcomes } from '@ops/contracts/resources/task';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { lockRenewals } from '../followed/followed-service.ts';
import { refuseUnknown } from './agent-service.ts';
import type { StoredTask } from './task.rules.ts';
import { changeAsAsked } from './task-service.ts';
import * as store from './task-store.ts';

export async function assignTasks(deps: Deps, trx: Trx, { task_ids, assigned_agent }: AssignTasks) {
  await refuseUnknown(trx, 'assigned_agent', assigned_agent, null);
  return changeAll(deps, trx, task_ids, { assigned_agent }, 'assigned');
}

export const dateTasks = (deps: Deps, trx: Trx, { task_ids, due_date }: DateTasks): Promise<TaskOutcomes> =>
  changeAll(deps, trx, task_ids, { due_date }, 'changed');

type Outcome = TaskOutcomes['data'][number];
type Change = Pick<PatchTask, 'assigned_agent' | 'due_date'>;

/** What is closed stays as it is; the rest goes ahead, each with its outcome. */
async function changeAll(
  deps: Deps,
  trx: Trx,
  given: readonly string[],
  patch: Change,
  done: 'assigned' | 'changed',
): Promise<TaskOutcomes> {
  const ids = [...new Set(given.map((id) => id.toLowerCase()))];
  const tasks = await lockWithRenewals(trx, ids);
  const data: Outcome[] = [];
  for (const task_id of ids) {
    const outcome = await changeOne(deps, trx, tasks.get(task_id), patch);
    data.push({ task_id, outcome: outcome === 'changed' ? done : outcome });
  }
  return { data };
}

async function changeOne(deps: Deps, trx: Trx, found: Locked | undefined, patch: Change): Promise<Outcome['outcome']> {
  if (!found) return 'not_found';
  if (found.task.status !== 'OPEN') return 'closed';
  const isSo = (Object.keys(patch) as (keyof Change)[]).every((field) => found.task[field] === patch[field]);
  if (isSo) return 'unchanged';
  await changeAsAsked(deps, trx, found.task, patch, found.renewal_agent);
  return 'changed';
}

interface Locked {
  task: StoredTask;
  renewal_agent: string | null;
}

/** The renewals before the tasks themselves, as alerts do it: or the two would wait for each other. */
async function lockWithRenewals(trx: Trx, ids: readonly string[]): Promise<Map<string, Locked>> {
  const renewals = await lockRenewals(trx, await store.renewalsOfTasks(trx, ids));
  const locked = (await store.lockTasks(trx, ids)).map((task): Locked => {
    const renewal = task.renewal_id === null ? undefined : renewals.get(task.renewal_id);
    return { task, renewal_agent: renewal ? renewal.assigned_agent : task.renewal_agent };
  });
  return new Map(locked.map((one) => [one.task.id, one]));
}

export async function handOverTasks(
  deps: Deps,
  trx: Trx,
  { from, assigned_agent: to }: HandOver,
  dryRun = false,
): Promise<HandedOver> {
  if (dryRun) return { handed_over: 0, left: await store.countGivenTo(trx, from) };
  await refuseUnknown(trx, 'assigned_agent', to, null);
  const found = await lockWithRenewals(trx, await store.idsGivenTo(trx, from, mostHandedOver));
  const theirs = [...found.values()].filter(({ task }) => task.assigned_agent === from);
  const outcomes: Outcome['outcome'][] = [];
  for (const one of theirs) outcomes.push(await changeOne(deps, trx, one, { assigned_agent: to }));
  const handed_over = outcomes.filter((outcome) => outcome === 'changed').length;
  return { handed_over, left: await store.countGivenTo(trx, from) };
}
