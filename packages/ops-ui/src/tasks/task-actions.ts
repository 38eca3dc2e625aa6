import type { InfiniteData } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import type { CreateTask, PatchTask, Task, TaskPage } from '../api/types.ts';
import { tell, tellProblem } from '../parts/told.tsx';
import { undoing } from './task.ts';
import { taskLists } from './task-queries.ts';

/** Refused when the task is another than that version by now. */
async function patchTask(id: string, change: PatchTask, version?: number): Promise<Task> {
  const header = version === undefined ? {} : { 'If-Match': `"${version}"` };
  try {
    return await dataOf(api.PATCH('/ops/tasks/{id}', { params: { path: { id }, header }, body: change }));
  } finally {
    void queries.invalidateQueries({ queryKey: ['tasks'] });
  }
}

/** What somebody wrote over the version they had before them. */
export async function saveTask(task: Task, change: PatchTask, version: number): Promise<void> {
  await patchTask(task.id, change, version);
  tell(`Saved: ${change.title ?? task.title}`, () => attempt(task.id, undoing(task, change)));
}

/** Does it at once, says what was done, and offers the way back; false when it could not be done. */
export async function changeTask(task: Task, change: PatchTask, words: string): Promise<boolean> {
  const isDone = await attempt(task.id, change);
  if (isDone) tell(words, () => attempt(task.id, undoing(task, change)));
  return isDone;
}

async function attempt(id: string, change: PatchTask): Promise<boolean> {
  show(id, change);
  try {
    await patchTask(id, change);
    return true;
  } catch (error) {
    tellProblem(error);
    return false;
  }
}

/** Before the service has answered: whoever chose something sees what they chose. */
function show(id: string, change: PatchTask): void {
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
  void queries.invalidateQueries({ queryKey: ['tasks'] });
  tell(`Made: ${made.title}`, () => attempt(made.id, { status: 'CANCELLED' }));
}
