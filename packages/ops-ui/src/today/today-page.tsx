import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Communication } from '../api/types.ts';
import { CustomerLink } from '../customers/customer-link.tsx';
import { customersQuery } from '../customers/customer-queries.ts';
import { failedQuery } from '../customers/failed-query.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { ChannelIcon, oneMessage } from '../parts/channels.tsx';
import { inOwnDays, When } from '../parts/dates.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { UnreadBadge } from '../parts/unread-badge.tsx';
import { DaysLeft } from '../parts/urgency.tsx';
import { asSentence } from '../parts/words.ts';
import { heldInWords } from '../renewals/hold-words.ts';
import { queueQuery, summaryQuery } from '../renewals/renewal-queries.ts';
import { riskInWords } from '../renewals/risk-words.ts';
import { useServiceNames } from '../renewals/service-types.ts';
import { RefreshLate } from '../runs/refresh-late.tsx';
import { Due } from '../tasks/due.tsx';
import { tasksQuery } from '../tasks/task-queries.ts';
import { titleOf } from '../tasks/task-title.ts';
import { messagesInWords, onceASender } from '../unmatched/unmatched.ts';
import { unmatchedQuery } from '../unmatched/unmatched-queries.ts';
import classes from './today.module.css';

/** What needs somebody now, the gravest first. */
export function TodayPage() {
  return (
    <>
      <PageHeader title="Today" />
      <RefreshLate />
      <div className={classes.sections}>
        <AtRisk />
        <Overdue />
        <UrgentTasks />
        <NotSent />
        <Unread />
        <UnknownSenders />
      </div>
    </>
  );
}

const mostShown = 6;

interface SectionProps<T extends { id: string }> {
  title: string;
  /** What it says while there is nothing. */
  nothing: string;
  query: UseInfiniteQueryResult<InfiniteData<{ data: T[] }>>;
  /** Where all of them are. */
  all?: ReactNode;
  count?: number | undefined;
  line(item: T): ReactNode;
}

function Section<T extends { id: string }>({ title, nothing, query, all, count, line }: SectionProps<T>) {
  const { data, error, isPending, refetch, hasNextPage } = query;
  const items = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section className={classes.section} aria-label={title}>
      <h2 className={classes.title}>
        {title}
        {items.length > 0 && (
          <span className={classes.count}>{count ?? `${items.length}${hasNextPage ? '+' : ''}`}</span>
        )}
      </h2>
      {isPending && <Loading rows={2} />}
      {error && <Failed problem={asProblem(error)} again={refetch} />}
      {data && items.length === 0 && <p className={classes.nothing}>{nothing}</p>}
      <ul className={classes.lines}>
        {items.slice(0, mostShown).map((item) => (
          <li key={item.id}>{line(item)}</li>
        ))}
      </ul>
      {items.length > 0 && all && <div className={classes.all}>{all}</div>}
    </section>
  );
}

/** Due within 30 days or overdue, and nobody is at it. */
function AtRisk() {
  const nameOf = useServiceNames();
  return (
    <Section
      title="At risk"
      nothing="Somebody, or the customer, is at everything that is near its date."
      query={useInfiniteQuery(queueQuery({ risk: true }))}
      all={
        <Link to="/renewals" search={{ risk: true }}>
          All that is at risk
        </Link>
      }
      line={({ id, days_until_due, service_type, customer_name, customer_id, reasons }) => (
        <>
          <Link to="/renewals" search={{ renewal: id }} className={classes.main}>
            {nameOf(service_type)} of {customer_name ?? customer_id}
          </Link>
          {days_until_due !== null && <DaysLeft days={days_until_due} />}
          <span className={classes.quiet}>{riskInWords(reasons)}</span>
        </>
      )}
    />
  );
}

function Overdue() {
  const query = useInfiniteQuery(queueQuery({ status: 'OVERDUE' }));
  const { data: summary } = useQuery(summaryQuery());
  const nameOf = useServiceNames();
  const agentOf = useAgentNames();
  const all = summary?.by_service_type.filter(({ status }) => status === 'OVERDUE');
  return (
    <Section
      title="Overdue"
      nothing="Nothing is overdue."
      query={query}
      count={all?.reduce((sum, { count }) => sum + count, 0)}
      all={
        <Link to="/renewals" search={{ status: 'OVERDUE' }}>
          All that is overdue
        </Link>
      }
      line={({ id, days_until_due, service_type, customer_name, customer_id, responsible_agent, hold }) => (
        <>
          <Link to="/renewals" search={{ renewal: id }} className={classes.main}>
            {nameOf(service_type)} of {customer_name ?? customer_id}
          </Link>
          {days_until_due !== null && <DaysLeft days={days_until_due} />}
          {hold && <span className={classes.quiet}>{inOwnDays(heldInWords(hold))}</span>}
          <span className={classes.aside}>
            {responsible_agent === null ? 'nobody’s yet' : agentOf(responsible_agent)}
          </span>
        </>
      )}
    />
  );
}

function UrgentTasks() {
  const agentOf = useAgentNames();
  return (
    <Section
      title="Urgent tasks"
      nothing="No urgent task is open."
      query={useInfiniteQuery(tasksQuery({ status: 'OPEN', priority: 'URGENT' }))}
      all={
        <Link to="/tasks" search={{ view: 'all' }}>
          All tasks
        </Link>
      }
      line={(task) => (
        <>
          <Link to="/tasks" search={{ view: 'all', task: task.id }} className={classes.main}>
            {titleOf(task)}
          </Link>
          <Due task={task} />
          <span className={classes.aside}>
            {task.responsible_agent === null ? 'nobody’s yet' : agentOf(task.responsible_agent)}
          </span>
        </>
      )}
    />
  );
}

function NotSent() {
  return (
    <Section
      title="Failed and uncertain messages"
      nothing="Every message left as it should."
      query={useInfiniteQuery(failedQuery)}
      all={<Link to="/not-sent">All failed and uncertain messages</Link>}
      line={(record) => (
        <>
          <ChannelIcon type={record.type} size={14} />
          <span className={classes.main}>
            <CustomerLink id={record.customer_id} />
          </span>
          <Link to="/not-sent" search={{ message: record.id }} className={classes.grave}>
            {whatFailed(record)}
          </Link>
          <span className={classes.aside}>
            <When at={record.occurred_at} />
          </span>
        </>
      )}
    />
  );
}

function whatFailed({ type, status, failure }: Communication): string {
  if (status === 'UNCERTAIN') return `Nobody knows whether this ${oneMessage[type]} arrived.`;
  return `Not delivered. ${asSentence(failure ? inOwnDays(failure.message) : 'the provider gave no reason')}`;
}

function Unread() {
  return (
    <Section
      title="Unread messages"
      nothing="There is no unread message."
      query={useInfiniteQuery(customersQuery('', 'unread'))}
      all={
        <Link to="/customers" search={{ unread: true }}>
          All unread
        </Link>
      }
      line={({ id, name, unread_count }) => (
        <>
          <Link to="/customers/$id" params={{ id }} className={classes.main}>
            {name}
          </Link>
          <UnreadBadge count={unread_count} />
        </>
      )}
    />
  );
}

function UnknownSenders() {
  return (
    <Section
      title="Unmatched senders"
      nothing="Every sender is known."
      query={useInfiniteQuery({ ...unmatchedQuery('waiting'), select: onceASender })}
      all={<Link to="/unmatched">Say who they are</Link>}
      line={({ type, sender, occurred_at, together }) => (
        <>
          <ChannelIcon type={type} size={14} />
          <Link to="/unmatched" className={classes.main}>
            {sender.name ?? sender.address}
          </Link>
          {together > 1 && messagesInWords(together)}
          <span className={classes.aside}>
            <When at={occurred_at} />
          </span>
        </>
      )}
    />
  );
}
