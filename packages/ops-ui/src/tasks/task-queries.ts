import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import type { Task } from '../api/types.ts';

export interface TaskFilter {
  status: Task['status'];
  priority?: Task['priority'];
  /** Empty: those nobody has. */
  assigned_agent?: string;
  customer_id?: string;
  /** The last day. */
  due_to?: string;
}

const pageSize = 50;

/** All lists of tasks that are kept. */
export const taskLists = ['tasks', 'list'] as const;

/** The most urgent first. */
export const tasksQuery = (filter: TaskFilter) =>
  inPages([...taskLists, filter], ({ cursor, signal }) =>
    dataOf(api.GET('/ops/tasks', { params: { query: { limit: pageSize, ...filter, ...cursor } }, signal })),
  );

export const oneTask = ['tasks', 'one'] as const;

/** Wherever it stands, closed or not. */
export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: [...oneTask, id],
    queryFn: ({ signal }) => dataOf(api.GET('/ops/tasks/{id}', { params: { path: { id } }, signal })),
  });
