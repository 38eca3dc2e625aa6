import { SegmentedControl } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { NewTask } from './new-task.tsx';
import { TaskDesk } from './task-desk.tsx';
import classes from './tasks.module.css';
import { statusOf, type TaskState } from './tasks-search.ts';

const route = getRouteApi('/customers/$id');

/** What is to be done for one customer. */
export default function CustomerTasks({ customerId }: { customerId: string }) {
  const { state = 'open', task, create } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <TaskDesk
      filter={{ status: statusOf[state], customer_id: customerId }}
      drawer={{ task, create }}
      empty={state === 'open' ? 'There is nothing to do for this customer.' : `No task was ${state} yet.`}
      header={
        <div className={classes.bar}>
          <SegmentedControl
            size="xs"
            value={state}
            onChange={(value) => navigate({ search: (before) => ({ ...before, state: value as TaskState }) })}
            data={[
              { value: 'open', label: 'Open' },
              { value: 'done', label: 'Done' },
              { value: 'cancelled', label: 'Cancelled' },
            ]}
            aria-label="Which tasks"
          />
          <NewTask size="xs" />
        </div>
      }
    />
  );
}
