import { getRouteApi } from '@tanstack/react-router';
import { NewTask } from './new-task.tsx';
import { StateFilter } from './state-filter.tsx';
import { TaskDesk } from './task-desk.tsx';
import classes from './tasks.module.css';
import { statusOf } from './tasks-search.ts';

const route = getRouteApi('/customers/$id');

/** What is to be done for one customer. */
export default function CustomerTasks({ customerId }: { customerId: string }) {
  const { state = 'open', task, create } = route.useSearch();
  return (
    <TaskDesk
      filter={{ status: statusOf[state], customer_id: customerId }}
      drawer={{ task, create }}
      empty={state === 'open' ? 'There is nothing to do for this customer.' : `No task was ${state} yet.`}
      header={
        <div className={classes.bar}>
          <StateFilter state={state} size="xs" />
          <NewTask size="xs" />
        </div>
      }
    />
  );
}
