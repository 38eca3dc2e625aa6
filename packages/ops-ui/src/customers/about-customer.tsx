import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';
import type { CustomerDetail, Renewal, Task } from '../api/types.ts';
import { shortDayOf, When } from '../parts/dates.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { DaysLeft, urgencyOf } from '../parts/urgency.tsx';
import { heldBriefly } from '../renewals/held.tsx';
import { nextOf, stepsOf } from '../renewals/ladder.ts';
import { Ladder } from '../renewals/ladder.tsx';
import { customerRenewalsQuery, renewalQuery } from '../renewals/renewal-queries.ts';
import { isOpen } from '../renewals/renewal-words.ts';
import { rungInWords } from '../renewals/rung-names.ts';
import { useServiceNames } from '../renewals/service-types.ts';
import { Due } from '../tasks/due.tsx';
import { PriorityWord } from '../tasks/priority.tsx';
import { tasksQuery } from '../tasks/task-queries.ts';
import { titleOf } from '../tasks/task-title.ts';
import classes from './about-customer.module.css';
import { ListedFile } from './attached.tsx';
import { CustomerFacts } from './customer-facts.tsx';
import { filesQuery } from './file-queries.ts';

/** Beside the log: what falls due, what is to be done, how to reach the customer, and what came and went with them. */
export default function AboutCustomer({ customer }: { customer: CustomerDetail }) {
  const { id } = customer;
  const renewals = useInfiniteQuery(customerRenewalsQuery(id));
  const tasks = useInfiniteQuery(tasksQuery({ status: 'OPEN', customer_id: id }));
  // All at once, so that nothing moves down under somebody's hand.
  if (renewals.isPending || tasks.isPending) return <Loading rows={8} />;
  const error = renewals.error ?? tasks.error;
  if (!renewals.data || !tasks.data)
    return <Failed problem={asProblem(error)} again={() => Promise.all([renewals.refetch(), tasks.refetch()])} />;
  return (
    <>
      <Dates customerId={id} dates={renewals.data.pages.flatMap(({ data }) => data).filter(isOpen)} />
      <Tasks customerId={id} tasks={tasks.data.pages.flatMap(({ data }) => data)} />
      <Part title="Customer">
        <CustomerFacts customer={customer} />
      </Part>
      <Files customerId={id} />
    </>
  );
}

/** More than these are a list of their own, in its tab. */
const mostShown = 4;

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={classes.part} aria-label={title}>
    <h2 className={classes.title}>{title}</h2>
    {children}
  </section>
);

function Dates({ customerId, dates }: { customerId: string; dates: readonly Renewal[] }) {
  return (
    <Part title="Due dates">
      {dates.length === 0 && <p className={classes.quiet}>No date is watched.</p>}
      {dates.slice(0, mostShown).map((one) => (
        <DueDate key={one.id} renewal={one} />
      ))}
      {dates.length > mostShown && (
        <Link to="/customers/$id" params={{ id: customerId }} search={{ tab: 'renewals' }}>
          All {dates.length} dates
        </Link>
      )}
    </Part>
  );
}

function DueDate({ renewal }: { renewal: Renewal }) {
  const { id, customer_id, service_type, policy_id, due_date, days_until_due, hold } = renewal;
  const nameOf = useServiceNames();
  const { data: detail } = useQuery(renewalQuery(id));
  const next = detail && nextOf(stepsOf(detail));
  return (
    <div className={classes.due} data-urgency={days_until_due === null ? undefined : urgencyOf(days_until_due)}>
      <div className={classes.line}>
        <Link to="/customers/$id" params={{ id: customer_id }} search={{ tab: 'renewals', renewal: id }}>
          {nameOf(service_type)}
        </Link>
        {days_until_due !== null && <DaysLeft days={days_until_due} />}
      </div>
      <div className={classes.quiet}>
        {[policy_id, `due ${shortDayOf(due_date)}`, hold && heldBriefly(hold)].filter(Boolean).join(' · ')}
      </div>
      <div className={classes.ladder}>{detail && <Ladder renewal={detail} isCompact />}</div>
      <div className={classes.next}>
        {next && `Next: ${rungInWords(next.rung).toLowerCase()}, on ${shortDayOf(next.date)}`}
      </div>
    </div>
  );
}

function Tasks({ customerId, tasks }: { customerId: string; tasks: readonly Task[] }) {
  return (
    <Part title="Open tasks">
      {tasks.length === 0 && <p className={classes.quiet}>Nothing is to be done.</p>}
      <ul className={classes.list}>
        {tasks.slice(0, mostShown).map((task) => (
          <li key={task.id}>
            <div className={classes.line}>
              <Link to="/customers/$id" params={{ id: customerId }} search={{ tab: 'tasks', task: task.id }}>
                {titleOf(task)}
              </Link>
              <PriorityWord priority={task.priority} />
            </div>
            <Due task={task} />
          </li>
        ))}
      </ul>
      {tasks.length > mostShown && (
        <Link to="/customers/$id" params={{ id: customerId }} search={{ tab: 'tasks' }}>
          All open tasks
        </Link>
      )}
    </Part>
  );
}

/** Last, since nobody knows how many there are before they are there. */
function Files({ customerId }: { customerId: string }) {
  const query = useInfiniteQuery(filesQuery(customerId));
  const files = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Part title="Files">
      {query.isLoadingError && <Failed problem={asProblem(query.error)} again={query.refetch} />}
      {query.isSuccess && files.length === 0 && <p className={classes.quiet}>No file came or went yet.</p>}
      <ul className={classes.list}>
        {files.map((file) => (
          <li key={file.id}>
            <ListedFile file={file} at={file.occurred_at} />
            <Link
              className={classes.quiet}
              to="/customers/$id"
              params={{ id: customerId }}
              search={{ message: file.communication_id }}
            >
              {file.direction === 'INBOUND' ? 'came' : 'went'} <When at={file.occurred_at} />
            </Link>
          </li>
        ))}
      </ul>
      <ShowMore query={query} size="compact-xs" variant="subtle" color="gray">
        More files
      </ShowMore>
    </Part>
  );
}
