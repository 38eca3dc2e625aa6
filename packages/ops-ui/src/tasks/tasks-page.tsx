import { SegmentedControl } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useToday } from '../parts/dates.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { useMe } from '../session/session.ts';
import { NewTask } from './new-task.tsx';
import { StateFilter } from './state-filter.tsx';
import { TaskDesk } from './task-desk.tsx';
import type { TaskFilter } from './task-queries.ts';
import { statusOf, type TaskState, type TaskView } from './tasks-search.ts';

const route = getRouteApi('/tasks');

export function TasksPage() {
  const { view = 'mine', state = 'open', ...drawer } = route.useSearch();
  const navigate = route.useNavigate();
  const me = useMe();
  const today = useToday();
  const filter: TaskFilter = {
    status: statusOf[state],
    ...((view === 'mine' || view === 'today') && { assigned_agent: me.sub }),
    ...(view === 'today' && { due_to: today }),
    ...(view === 'unassigned' && { assigned_agent: '' }),
  };
  return (
    <TaskDesk
      filter={filter}
      drawer={drawer}
      empty={emptyWords(view, state)}
      header={
        <PageHeader
          title="Tasks"
          filters={
            <>
              <SegmentedControl
                value={view}
                onChange={(value) => navigate({ search: (before) => ({ ...before, view: value as TaskView }) })}
                data={[
                  { value: 'mine', label: 'Mine' },
                  { value: 'today', label: 'Mine today' },
                  { value: 'unassigned', label: 'Unassigned' },
                  { value: 'all', label: 'All' },
                ]}
                aria-label="Whose tasks"
              />
              <StateFilter state={state} />
            </>
          }
          action={<NewTask />}
        />
      }
    />
  );
}

function emptyWords(view: TaskView, state: TaskState): string {
  if (state !== 'open') return `No task here was ${state} yet.`;
  if (view === 'mine') return 'You have nothing to do: no open task is yours.';
  if (view === 'today') return 'Nothing of yours is due today, nor was before.';
  return view === 'unassigned' ? 'Every open task has somebody who does it.' : 'There is no open task.';
}
