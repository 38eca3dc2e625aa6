import { type QueueSearch, queueSearch } from '../attention/waiting-search.ts';
import { type TaskListSearch, taskListSearch } from '../tasks/tasks-search.ts';

/** From the left. */
export const workspaceTabs = ['communications', 'renewals', 'tasks', 'details', 'timeline'] as const;
export type WorkspaceTab = (typeof workspaceTabs)[number];

interface WorkspaceSearch extends TaskListSearch, QueueSearch {
  tab?: WorkspaceTab;
  /** The one in focus among the renewals. */
  renewal?: string;
  /** The one in the log that somebody is led to. */
  message?: string;
}

/** Which part of the workspace an address shows; without one, the communications. */
export function workspaceSearch(search: Record<string, unknown>): WorkspaceSearch {
  const tab = workspaceTabs.find((one) => one === search.tab && one !== 'communications');
  return {
    ...queueSearch(search),
    ...(tab && { tab }),
    ...(tab === 'tasks' && taskListSearch(search)),
    ...(tab === 'renewals' && renewalSearch(search)),
    ...(!tab && isText(search.message) && { message: search.message }),
  };
}

function renewalSearch({ renewal, create }: Record<string, unknown>): Pick<WorkspaceSearch, 'renewal' | 'create'> {
  if (create === true) return { create };
  return isText(renewal) ? { renewal } : {};
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
