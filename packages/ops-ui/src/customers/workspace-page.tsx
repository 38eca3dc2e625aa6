import { Badge, SegmentedControl, Tabs, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Customer } from '../api/types.ts';
import { Failed, Loading } from '../parts/states.tsx';
import { useOpenTasks } from '../tasks/open-count.ts';
import { communicationsQuery, type Filter, filters } from './communication-queries.ts';
import { Composer } from './composer.tsx';
import { customerQuery } from './customer-queries.ts';
import { Thread } from './thread.tsx';
import classes from './workspace.module.css';
import { WorkspaceHeader } from './workspace-header.tsx';
import type { WorkspaceTab } from './workspace-search.ts';

const route = getRouteApi('/customers/$id');
const CustomerTasks = lazy(() => import('../tasks/customer-tasks.tsx'));
const CustomerTimeline = lazy(() => import('./timeline.tsx'));

/** Everything about one customer. */
export function WorkspacePage() {
  const { id } = route.useParams();
  const { tab = 'communications' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: customer, error, isPending, refetch } = useQuery(customerQuery(id));
  if (isPending) return <Loading rows={8} />;
  if (error) return <Failed problem={asProblem(error)} again={refetch} />;
  return (
    <Tabs
      className={classes.workspace}
      value={tab}
      onChange={(value) =>
        navigate({ search: value && value !== 'communications' ? { tab: value as WorkspaceTab } : {}, replace: true })
      }
      keepMounted={false}
    >
      <WorkspaceHeader customer={customer} />
      <Tabs.List px="md">
        <Tabs.Tab value="communications">Communications</Tabs.Tab>
        <TasksTab key={id} customerId={id} />
        <Tabs.Tab value="timeline">Timeline</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="communications" className={classes.panel}>
        <Communications key={id} customer={customer} />
      </Tabs.Panel>
      <Tabs.Panel value="tasks" className={classes.panel}>
        <Suspense fallback={<Loading />}>
          <CustomerTasks key={id} customerId={id} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="timeline" className={classes.panel}>
        <Suspense fallback={<Loading />}>
          <CustomerTimeline customerId={id} />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}

function TasksTab({ customerId }: { customerId: string }) {
  const open = useOpenTasks(customerId);
  return (
    <Tabs.Tab
      value="tasks"
      rightSection={
        open && (
          <Badge size="sm" variant="default" aria-label={`${open} open`}>
            {open}
          </Badge>
        )
      }
    >
      Tasks
    </Tabs.Tab>
  );
}

function Communications({ customer }: { customer: Customer }) {
  const [filter, setFilter] = useState<Filter>('all');
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), 200);
  const { data } = useInfiniteQuery(communicationsQuery(customer.id, 'all', ''));
  const records = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <>
      <div className={classes.filters}>
        <SegmentedControl
          size="xs"
          value={filter}
          onChange={(value) => setFilter(value as Filter)}
          data={[...filters]}
          aria-label="Which communications"
        />
        <TextInput
          size="xs"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          leftSection={<IconSearch size={14} />}
          placeholder="Search this log"
          aria-label="Search this log"
        />
      </div>
      <Thread customerId={customer.id} filter={filter} search={search} />
      <Composer customer={customer} records={records} />
    </>
  );
}
