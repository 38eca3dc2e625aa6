import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Task } from '../api/types.ts';
import { Beside, Drawer } from '../parts/drawer.tsx';
import { Former } from '../parts/former.tsx';
import { KeyHelp } from '../parts/key-help.tsx';
import { Listed } from '../parts/listed.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { selectionKeys, useSelection } from '../parts/use-selection.ts';
import { CreateTask } from './create-task.tsx';
import { RenewalDoneToo } from './renewal-done-too.tsx';
import { TaskDetail } from './task-detail.tsx';
import { type TaskFilter, taskQuery, tasksQuery } from './task-queries.ts';
import { TaskTable } from './task-table.tsx';
import { titleOf } from './task-title.ts';
import classes from './tasks.module.css';
import { TasksInBulk } from './tasks-in-bulk.tsx';
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
  const [done, setDone] = useState<readonly Task[]>([]);
  const without =
    ({ id }: Task) =>
    (before: readonly Task[]) =>
      before.filter((one) => one.id !== id);
  const add = (task: Task) => task.renewal_id !== null && setDone((before) => [task, ...without(task)(before)]);
  const close = () =>
    navigate({ to: '.', search: (before) => ({ ...before, task: undefined, create: undefined }), replace: true });
  const tasks = query.data?.pages.flatMap((page) => page.data) ?? [];
  const list = useRef<HTMLDivElement>(null);
  const { selected, select, chosen, clear, backToRow } = useSelection(list, tasks);
  return (
    <Beside
      header={header}
      drawer={
        create ? (
          <Drawer title="New task" label="New task" close={close}>
            <CreateTask customerId={filter.customer_id} close={close} />
          </Drawer>
        ) : (
          open !== undefined && (
            <OneTask id={open} listed={tasks.find(({ id }) => id === open)} done={add} close={close} />
          )
        )
      }
    >
      <div role="status">
        {done.map((task) => (
          <RenewalDoneToo key={task.id} task={task} answered={() => setDone(without(task))} />
        ))}
      </div>
      <Former isFormer={query.isPlaceholderData}>
        <TasksInBulk tasks={chosen} clear={clear} backToRow={backToRow} />
        <Listed query={query} empty={empty} skeleton={{ rows: 8 }}>
          {(all) => (
            <div ref={list} className={classes.list} data-alone={filter.customer_id !== undefined || undefined}>
              <TaskTable
                tasks={all}
                open={open}
                withCustomer={filter.customer_id === undefined}
                done={add}
                selected={selected}
                select={select}
              />
            </div>
          )}
        </Listed>
      </Former>
      {/* The page of a customer has its own around it. */}
      {filter.customer_id === undefined && <KeyHelp own={selectionKeys} />}
    </Beside>
  );
}

interface OneTaskProps {
  id: string;
  /** As the list has it; a task that was closed, or is of another list, is there all the same. */
  listed: Task | undefined;
  done(task: Task): void;
  close(): void;
}

function OneTask({ id, listed, done, close }: OneTaskProps) {
  const { data, error, refetch } = useQuery(taskQuery(id));
  const task = listed ?? data;
  return (
    <Drawer title="Task" label={task ? `Task: ${titleOf(task)}` : 'Task'} close={close}>
      {task && <TaskDetail key={id} task={task} done={done} close={close} />}
      {!task && (error ? <Failed problem={asProblem(error)} again={refetch} /> : <Loading rows={6} />)}
    </Drawer>
  );
}
