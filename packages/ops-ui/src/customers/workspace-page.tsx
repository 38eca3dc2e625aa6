import { Badge, SegmentedControl, Tabs, TextInput } from '@mantine/core';
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { asProblem } from '../api/problem.ts';
import type { CustomerDetail } from '../api/types.ts';
import { AttentionBar, attentionKeys, useNextWaiting } from '../attention/attention-bar.tsx';
import { isErased } from '../erasure/erasure-query.ts';
import { MaybeSame, sameKeys } from '../merging/maybe-same.tsx';
import { KeyHelp, type Keys } from '../parts/key-help.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { tell } from '../parts/told.tsx';
import { selectionKeys } from '../parts/use-selection.ts';
import { useOpenRenewals } from '../renewals/open-count.ts';
import { useOpenTasks } from '../tasks/open-count.ts';
import { BesideButton, useBeside, WithBeside } from './beside-thread.tsx';
import { countsQuery, type Filter, filters } from './communication-queries.ts';
import { leavesTheFirm } from './compose.ts';
import { Composer } from './composer.tsx';
import { customerQuery, isUnknown } from './customer-queries.ts';
import { goGive } from './given-to.tsx';
import { LedOn } from './led-on.tsx';
import { type Outgoing, stillWaits, takeBack } from './outgoing.ts';
import { Thread } from './thread.tsx';
import { tabKeys, useTabKeys } from './use-tab-keys.ts';
import { detailKeys, useWriteKeys, writeKeys } from './use-write-keys.ts';
import classes from './workspace.module.css';
import { WorkspaceHeader } from './workspace-header.tsx';
import type { WorkspaceTab } from './workspace-search.ts';

const route = getRouteApi('/customers/$id');
const CustomerRenewals = lazy(() => import('../renewals/customer-renewals.tsx'));
const CustomerTasks = lazy(() => import('../tasks/customer-tasks.tsx'));
const ErasedCustomer = lazy(() => import('../erasure/erased-customer.tsx'));
const UnknownCustomer = lazy(() => import('./unknown-customer.tsx'));
const CustomerDetails = lazy(() => import('./details.tsx'));
const CustomerTimeline = lazy(() => import('./timeline.tsx'));

/** Of one tab alone. */
const keysOf: { [tab in WorkspaceTab]?: Keys } = {
  communications: [...writeKeys, ['a', 'give the customer to an agent']],
  tasks: selectionKeys,
  details: detailKeys,
};

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
  const { data: customer, error, isPending, isFetching, refetch } = useQuery(customerQuery(id));
  const tabs = useRef<HTMLDivElement>(null);
  useTabKeys(tabs);
  const [openRenewals, openTasks] = [useOpenRenewals(id), useOpenTasks(id)];
  if (isPending) return <Loading rows={8} />;
  // What was shown until then is still at hand when whoever it is of was erased.
  const isGone = error !== null && isErased(asProblem(error));
  if (!customer || isGone) {
    const problem = asProblem(error);
    if (!isUnknown(problem) && !isGone) return <Failed problem={problem} again={refetch} />;
    return (
      <Suspense fallback={<Loading rows={8} />}>
        {isGone ? <ErasedCustomer id={id} /> : <UnknownCustomer id={id} />}
      </Suspense>
    );
  }
  // What was kept of an id may be from before somebody took it apart.
  if (customer.id !== id) return isFetching ? <Loading rows={8} /> : <LedOn from={id} customer={customer} />;
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
        <MaybeSame id={id} through={through} />
        <AttentionBar customer={customer} search={through} next={next} />
      </WorkspaceHeader>
      <Tabs.List className={classes.tabs} ref={tabs}>
        <Tabs.Tab value="communications">Communications</Tabs.Tab>
        <CountedTab value="renewals" count={openRenewals}>
          Renewals
        </CountedTab>
        <CountedTab value="tasks" count={openTasks}>
          Tasks
        </CountedTab>
        <Tabs.Tab value="details">Details</Tabs.Tab>
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
      <Tabs.Panel value="timeline" className={classes.panel}>
        <Suspense fallback={<Loading />}>
          <CustomerTimeline customerId={id} />
        </Suspense>
      </Tabs.Panel>
      <KeyHelp own={[...(keysOf[tab] ?? []), ...attentionKeys, ...sameKeys, ...tabKeys]} />
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
  useHotkeys([['a', goGive]]);
  const [filter, setFilter] = useState<Filter>('all');
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), 200);
  const { data: counts } = useQuery(countsQuery(customer.id, search));
  const beside = useBeside();
  return (
    <WithBeside customer={customer} beside={beside}>
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
          ml="auto"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          leftSection={<IconSearch size={14} />}
          placeholder="Search this log"
          aria-label="Search this log"
        />
        <BesideButton beside={beside} />
      </div>
      <Thread customerId={customer.id} filter={filter} search={search} message={message} />
      <div ref={composer}>
        <Composer customer={customer} sent={next && ((one) => tellSent(one, customer, goBack, next))} />
      </div>
    </WithBeside>
  );
}
