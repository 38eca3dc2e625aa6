const views = ['mine', 'unassigned', 'all'] as const;
export type TaskView = (typeof views)[number];
const states = ['open', 'done', 'cancelled'] as const;
export type TaskState = (typeof states)[number];

/** What stands in the drawer beside the list: one of its tasks, or the making of another. */
export interface DrawerSearch {
  task?: string;
  create?: true;
}

export interface TasksSearch extends DrawerSearch {
  view?: TaskView;
  state?: TaskState;
}

export function drawerSearch({ task, create }: Record<string, unknown>): DrawerSearch {
  if (create === true) return { create };
  return typeof task === 'string' && task !== '' ? { task } : {};
}

/** Which tasks an address shows; without anything, one's own open ones. */
export function tasksSearch(search: Record<string, unknown>): TasksSearch {
  const view = views.find((one) => one === search.view && one !== 'mine');
  const state = states.find((one) => one === search.state && one !== 'open');
  return { ...(view && { view }), ...(state && { state }), ...drawerSearch(search) };
}

export const statusOf = { open: 'OPEN', done: 'DONE', cancelled: 'CANCELLED' } as const;
