import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Task } from '../api/types.ts';
import { Beside, Drawer } from '../parts/drawer.tsx';
import { Former } from '../parts/former.tsx';
import { Listed } from '../parts/listed.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { CreateTask } from './create-task.tsx';
import { TaskDetail } from './task-detail.tsx';
import { type TaskFilter, taskQuery, tasksQuery } from './task-queries.ts';
import { TaskTable } from './task-table.tsx';
import classes from './tasks.module.css';
import type { DrawerSearch } from './tasks-search.ts';

interface TaskDeskProps {
  filter: TaskFilter;
  drawer: DrawerSearch;
  header: ReactNode;
  /** What is said when there is none. */
  empty: ReactNode;
}

/** Tasks, and beside them the one in focus or one that is being made. */
export function TaskDesk({ filter, drawer: { task: open, create }, header, empty }: TaskDeskProps) {
  const query = useInfiniteQuery(tasksQuery(filter));
  const navigate = useNavigate();
  const close = () =>
    navigate({ to: '.', search: (before) => ({ ...before, task: undefined, create: undefined }), replace: true });
  const tasks = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Beside
      header={header}
      drawer={
        create ? (
          <Drawer title="New task" label="New task" close={close}>
            <CreateTask customerId={filter.customer_id} close={close} />
          </Drawer>
        ) : (
          open !== undefined && <OneTask id={open} listed={tasks.find(({ id }) => id === open)} close={close} />
        )
      }
    >
      <Former isFormer={query.isPlaceholderData}>
        <Listed query={query} empty={empty} skeleton={{ rows: 8 }}>
          {(all) => (
            <div className={classes.list} data-alone={filter.customer_id !== undefined || undefined}>
              <TaskTable tasks={all} open={open} withCustomer={filter.customer_id === undefined} />
            </div>
          )}
        </Listed>
      </Former>
    </Beside>
  );
}

interface OneTaskProps {
  id: string;
  /** As the list has it; a task that was closed, or is of another list, is there all the same. */
  listed: Task | undefined;
  close(): void;
}

function OneTask({ id, listed, close }: OneTaskProps) {
  const { data, error, refetch } = useQuery(taskQuery(id));
  const task = listed ?? data;
  return (
    <Drawer title="Task" label={task ? `Task: ${task.title}` : 'Task'} close={close}>
      {task && <TaskDetail key={id} task={task} close={close} />}
      {!task && (error ? <Failed problem={asProblem(error)} again={refetch} /> : <Loading rows={6} />)}
    </Drawer>
  );
}
