import type { InfiniteData } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { asProblem, ProblemError } from '../api/problem.ts';
import { queries } from '../api/queries.ts';
import type { CreateTask, PatchTask, Task, TaskPage } from '../api/types.ts';
import { tell, tellProblem } from '../parts/told.tsx';
import { afterOwn, rememberOwn } from './own-versions.ts';
import { undoing } from './task.ts';
import { oneTask, taskLists } from './task-queries.ts';
import { titleOf } from './task-title.ts';

/** Refused when somebody else changed the task since that version. */
async function patchTask({ id }: Task, change: PatchTask, version: number): Promise<Task> {
  const own = afterOwn(id, version);
  const params = { path: { id }, header: { 'If-Match': `"${own}"` } };
  const task = await dataOf(api.PATCH('/ops/tasks/{id}', { params, body: change }));
  rememberOwn(id, own, task.version);
  return task;
}

const fetchAgain = () => void queries.invalidateQueries({ queryKey: ['tasks'] });

/** What somebody wrote over the version they had before them. */
export async function saveTask(task: Task, change: PatchTask, version: number): Promise<Task> {
  const saved = await patchTask(task, change, version).finally(fetchAgain);
  tell(`Saved: ${titleOf(saved)}`, () => attempt(saved, undoing(task, change)));
  return saved;
}

/** Does it at once, says what was done, and offers the way back; false when it could not be done. */
export async function changeTask(task: Task, change: PatchTask, words: string): Promise<boolean> {
  const changed = await attempt(task, change);
  if (changed) tell(words, () => attempt(changed, undoing(task, change)));
  return changed !== null;
}

let before: Promise<unknown> = Promise.resolve();

/** One after the other: the next one starts from the version that the one before made. */
function attempt(task: Task, change: PatchTask): Promise<Task | null> {
  show(task.id, change);
  const now = before.then(() => patchTask(task, change, task.version)).catch((error) => takeBack(task, change, error));
  before = now;
  return now.finally(fetchAgain);
}

function takeBack(task: Task, change: PatchTask, error: unknown): null {
  show(task.id, undoing(task, change));
  tellProblem(asProblem(error).status === 412 ? changedMeanwhile : error);
  return null;
}

const changedMeanwhile = new ProblemError(412, {
  detail: 'Somebody else changed this task meanwhile, so it was left as it is. Look at it, then try again.',
});

/** Before the service has answered: whoever chose something sees what they chose. */
function show(id: string, change: PatchTask): void {
  queries.setQueryData<Task>([...oneTask, id], (kept) => kept && { ...kept, ...change });
  queries.setQueriesData<InfiniteData<TaskPage>>(
    { queryKey: taskLists },
    (kept) =>
      kept && {
        ...kept,
        pages: kept.pages.map((page) => ({
          ...page,
          data: page.data.map((one) => (one.id === id ? { ...one, ...change } : one)),
        })),
      },
  );
}

/** `key` is that of one intent: tried again with it, there is still one task. */
export async function createTask(task: CreateTask, key: string): Promise<void> {
  const made = await dataOf(api.POST('/ops/tasks', { params: { header: { 'Idempotency-Key': key } }, body: task }));
  fetchAgain();
  tell(`Made: ${titleOf(made)}`, () => attempt(made, { status: 'CANCELLED' }));
}
