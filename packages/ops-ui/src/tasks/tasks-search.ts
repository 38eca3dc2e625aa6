const views = ['mine', 'today', 'unassigned', 'all'] as const;
export type TaskView = (typeof views)[number];
const states = ['open', 'done', 'cancelled'] as const;
export type TaskState = (typeof states)[number];
export const statusOf = { open: 'OPEN', done: 'DONE', cancelled: 'CANCELLED' } as const;

/** What stands in the drawer beside the list: one of its tasks, or the making of another. */
export interface DrawerSearch {
  task?: string;
  create?: true;
}

/** Of a list, wherever it stands; without anything, the open ones. */
export interface TaskListSearch extends DrawerSearch {
  state?: TaskState;
}

export interface TasksSearch extends TaskListSearch {
  view?: TaskView;
}

export function taskListSearch({ state, task, create }: Record<string, unknown>): TaskListSearch {
  const known = states.find((one) => one === state && one !== 'open');
  const drawer = { ...(create === true ? { create } : typeof task === 'string' && task !== '' && { task }) };
  return { ...(known && { state: known }), ...drawer };
}

/** Which tasks an address shows; without anything, one's own open ones. */
export function tasksSearch(search: Record<string, unknown>): TasksSearch {
  const view = views.find((one) => one === search.view && one !== 'mine');
  return { ...(view && { view }), ...taskListSearch(search) };
}
