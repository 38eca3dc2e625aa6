import { Badge, SegmentedControl, Tabs, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { asProblem } from '../api/problem.ts';
import type { CustomerDetail } from '../api/types.ts';
import { AttentionBar, attentionKeys, useNextWaiting } from '../attention/attention-bar.tsx';
import { KeyHelp } from '../parts/key-help.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { tell } from '../parts/told.tsx';
import { useOpenRenewals } from '../renewals/open-count.ts';
import { useOpenTasks } from '../tasks/open-count.ts';
import { countsQuery, type Filter, filters } from './communication-queries.ts';
import { leavesTheFirm } from './compose.ts';
import { Composer } from './composer.tsx';
import { customerQuery, isUnknown } from './customer-queries.ts';
import { type Outgoing, stillWaits, takeBack } from './outgoing.ts';
import { Thread } from './thread.tsx';
import { useWriteKeys, writeKeys } from './use-write-keys.ts';
import classes from './workspace.module.css';
import { WorkspaceHeader } from './workspace-header.tsx';
import type { WorkspaceTab } from './workspace-search.ts';

const route = getRouteApi('/customers/$id');
const CustomerRenewals = lazy(() => import('../renewals/customer-renewals.tsx'));
const CustomerTasks = lazy(() => import('../tasks/customer-tasks.tsx'));
const UnknownCustomer = lazy(() => import('./unknown-customer.tsx'));
const CustomerAddresses = lazy(() => import('./addresses.tsx'));
const CustomerDetails = lazy(() => import('./details.tsx'));
const CustomerTimeline = lazy(() => import('./timeline.tsx'));

/** Everything about one customer; of another one nothing is left over. */
export function WorkspacePage() {
  const { id } = route.useParams();
  return <Workspace key={id} id={id} />;
}

function Workspace({ id }: { id: string }) {
  const { tab = 'communications', message, queue, channel } = route.useSearch();
  const through = { ...(queue && { queue, ...(channel && { channel }) }) };
  const next = useNextWaiting(id, through);
  const navigate = route.useNavigate();
  const { data: customer, error, isPending, refetch } = useQuery(customerQuery(id));
  const [openRenewals, openTasks] = [useOpenRenewals(id), useOpenTasks(id)];
  if (isPending) return <Loading rows={8} />;
  if (!customer) {
    const problem = asProblem(error);
    if (!isUnknown(problem)) return <Failed problem={problem} again={refetch} />;
    return (
      <Suspense fallback={<Loading rows={8} />}>
        <UnknownCustomer id={id} />
      </Suspense>
    );
  }
  return (
    <Tabs
      className={classes.workspace}
      value={tab}
      onChange={(value) =>
        navigate({
          search: { ...through, ...(value && value !== 'communications' && { tab: value as WorkspaceTab }) },
          replace: true,
        })
      }
      keepMounted={false}
    >
      <WorkspaceHeader customer={customer}>
        <AttentionBar customer={customer} search={through} next={next} />
      </WorkspaceHeader>
      <Tabs.List className={classes.tabs}>
        <Tabs.Tab value="communications">Communications</Tabs.Tab>
        <CountedTab value="renewals" count={openRenewals}>
          Renewals
        </CountedTab>
        <CountedTab value="tasks" count={openTasks}>
          Tasks
        </CountedTab>
        <Tabs.Tab value="details">Details</Tabs.Tab>
        <Tabs.Tab value="addresses">Addresses</Tabs.Tab>
        <Tabs.Tab value="timeline">Timeline</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="communications" className={classes.panel}>
        <Communications key={message} customer={customer} message={message} next={next} />
      </Tabs.Panel>
      <Tabs.Panel value="renewals" className={classes.panel}>
        <Suspense fallback={<Loading />}>
          <CustomerRenewals customerId={id} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="tasks" className={classes.panel}>
        <Suspense fallback={<Loading />}>
          <CustomerTasks customerId={id} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="details" className={classes.panel}>
        <Suspense fallback={<Loading />}>
          <CustomerDetails customer={customer} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="addresses" className={classes.panel}>
        <Suspense fallback={<Loading />}>
          <CustomerAddresses customer={customer} />
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

/** To a customer whom somebody has left. */
function useGoBack() {
  const navigate = route.useNavigate();
  return (id: string) => void navigate({ params: { id }, search: (before) => before });
}

/** The next one opens; what was sent can be taken back from there as long as it could have been here. */
function tellSent(one: Outgoing, customer: CustomerDetail, goBack: (id: string) => void, next: () => void): void {
  const undo = () => {
    if (!stillWaits(one)) return tell('It has left already.');
    takeBack(one);
    goBack(customer.id);
  };
  tell(`Answered: ${customer.name}`, leavesTheFirm(one.kind) ? undo : undefined);
  next();
}

interface CountedTabProps {
  value: WorkspaceTab;
  /** Of what is open. */
  count: string | null;
  children: string;
}

const CountedTab = ({ value, count, children }: CountedTabProps) => (
  <Tabs.Tab
    value={value}
    rightSection={
      count && (
        <Badge size="sm" variant="default" flex="none" aria-label={`${count} open`}>
          {count}
        </Badge>
      )
    }
  >
    {children}
  </Tabs.Tab>
);

interface CommunicationsProps {
  customer: CustomerDetail;
  message: string | undefined;
  /** To the next of those who wait, when somebody goes through them. */
  next: (() => void) | undefined;
}

function Communications({ customer, message, next }: CommunicationsProps) {
  const goBack = useGoBack();
  const composer = useRef<HTMLDivElement>(null);
  useWriteKeys(composer);
  const [filter, setFilter] = useState<Filter>('all');
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), 200);
  const { data: counts } = useQuery(countsQuery(customer.id, search));
  return (
    <>
      <div className={classes.filters}>
        <SegmentedControl
          size="xs"
          value={filter}
          onChange={(value) => setFilter(value as Filter)}
          data={filters.map(({ value, label }) => ({
            value,
            label: (
              <>
                {label} <span className={classes.count}>{counts?.[value].toLocaleString()}</span>
              </>
            ),
          }))}
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
      <Thread customerId={customer.id} filter={filter} search={search} message={message} />
      <div ref={composer}>
        <Composer customer={customer} sent={next && ((one) => tellSent(one, customer, goBack, next))} />
      </div>
      <KeyHelp own={[...writeKeys, ...attentionKeys]} />
    </>
  );
}
