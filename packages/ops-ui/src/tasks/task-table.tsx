import { Button, type NativeSelectProps } from '@mantine/core';
import { IconCheck, IconRotate } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Task } from '../api/types.ts';
import { CustomerLink } from '../customers/customer-link.tsx';
import { useAgentNames } from '../parts/agents.tsx';
import { GiveTo } from '../parts/give-to.tsx';
import table from '../parts/table.module.css';
import { useWhose } from '../parts/whose.ts';
import { Due } from './due.tsx';
import { NoteLink } from './note-link.tsx';
import { PriorityWord } from './priority.tsx';
import { RenewalLink } from './renewal-link.tsx';
import { changeTask } from './task-actions.ts';
import { titleOf } from './task-title.ts';
import classes from './tasks.module.css';

interface TaskTableProps {
  tasks: readonly Task[];
  /** The one in the drawer. */
  open: string | undefined;
  /** Where all are one customer's, nobody needs to be told whose. */
  withCustomer: boolean;
  /** Somebody did one. */
  done(task: Task): void;
  selected: ReadonlySet<string>;
  select(id: string, isSelected: boolean): void;
}

export function TaskTable({ tasks, open, withCustomer, done, selected, select }: TaskTableProps) {
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>
            <span className="visually-hidden">Selected</span>
          </th>
          <th>Priority</th>
          <th>Task</th>
          <th>Due</th>
          {withCustomer && <th>Customer</th>}
          <th data-spare>Agent</th>
          <th data-spare>About</th>
          <th>
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tasks.map((task) => (
          <tr key={task.id} data-task={task.id} data-row={task.id} data-open={task.id === open || undefined}>
            <td>
              <input
                type="checkbox"
                checked={selected.has(task.id)}
                onChange={({ currentTarget }) => select(task.id, currentTarget.checked)}
                aria-label={`Select: ${titleOf(task)}`}
              />
            </td>
            <td data-label="Priority">
              <PriorityWord priority={task.priority} />
            </td>
            <td data-label="Task">
              <Link
                to="."
                search={(before) => ({ ...before, task: task.id, create: undefined })}
                className={table.main}
                aria-current={task.id === open || undefined}
                data-opens
              >
                {titleOf(task)}
              </Link>
            </td>
            <td data-label="Due">
              <Due task={task} />
            </td>
            {withCustomer && (
              <td data-label="Customer">
                <CustomerLink id={task.customer_id} />
              </td>
            )}
            <td data-label="Agent" data-spare>
              <TaskAgent task={task} aria-label={`Agent of: ${titleOf(task)}`} size="xs" className={classes.agent} />
            </td>
            <td data-label="About" data-spare>
              {task.communication_id && <NoteLink task={task}>Note</NoteLink>}
              {task.renewal_id && <RenewalLink id={task.renewal_id}>Renewal</RenewalLink>}
            </td>
            <td>
              <CloseOrOpen task={task} done={done} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface TaskAgentProps extends Pick<NativeSelectProps, 'aria-label' | 'label' | 'size' | 'className'> {
  task: Task;
}

/** Who has it, and the way to give it to somebody else. */
export function TaskAgent({ task, ...rest }: TaskAgentProps) {
  const nameOf = useAgentNames();
  const whose = useWhose(task);
  return (
    <GiveTo
      {...rest}
      {...whose}
      value={task.assigned_agent}
      onChange={(agent) =>
        changeTask(
          task,
          { assigned_agent: agent },
          agent === null ? `Given to nobody now: ${titleOf(task)}` : `Given to ${nameOf(agent)}: ${titleOf(task)}`,
        )
      }
    />
  );
}

interface CloseOrOpenProps {
  task: Task;
  done(task: Task): void;
  /** It stands in another list from then on. */
  after?(): void;
}

export function CloseOrOpen({ task, done, after }: CloseOrOpenProps) {
  const isOpen = task.status === 'OPEN';
  const verb = isOpen ? 'Complete' : 'Open again';
  const Icon = isOpen ? IconCheck : IconRotate;
  const go = async () => {
    const words = `${isOpen ? 'Done' : 'Open again'}: ${titleOf(task)}`;
    if (!(await changeTask(task, { status: isOpen ? 'DONE' : 'OPEN' }, words))) return;
    after?.();
    if (isOpen) done(task);
  };
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<Icon size={14} aria-hidden />}
      onClick={go}
      aria-label={`${verb}: ${titleOf(task)}`}
    >
      {verb}
    </Button>
  );
}
