import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { RenewalDetail, Task } from '../api/types.ts';
import { customerQuery, isUnknown } from '../customers/customer-queries.ts';
import { WhoChanged } from '../history/who-changed.tsx';
import { useAgentNames } from '../parts/agents.tsx';
import { ChannelIcon, whatWasWritten } from '../parts/channels.tsx';
import { dayOf, When } from '../parts/dates.tsx';
import { Drawer } from '../parts/drawer.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { DaysLeft } from '../parts/urgency.tsx';
import { PriorityWord } from '../tasks/priority.tsx';
import { titleOf } from '../tasks/task-title.ts';
import { AlertList } from './alert-list.tsx';
import { Held } from './held.tsx';
import { Ladder } from './ladder.tsx';
import { RenewalActions } from './renewal-actions.tsx';
import classes from './renewal-drawer.module.css';
import { RenewalFacts } from './renewal-facts.tsx';
import { renewalQuery, renewalTasksQuery } from './renewal-queries.ts';
import { reasonWords, statusNames } from './renewal-words.ts';
import { riskInWords } from './risk-words.ts';
import { Sequence } from './sequence.tsx';
import { useServiceNames } from './service-types.ts';
import { ToCome } from './to-come.tsx';

/** One renewal: how urgent, what was said about it, what is left to do. */
export function RenewalDrawer({ id, close }: { id: string; close(): void }) {
  const { data: renewal, error, isPending, refetch } = useQuery(renewalQuery(id));
  const nameOf = useServiceNames();
  return (
    <Drawer
      key={id}
      title={renewal ? nameOf(renewal.service_type) : 'Renewal'}
      label="The renewal in focus"
      close={close}
    >
      {isPending && <Loading rows={8} />}
      {error && <Failed problem={asProblem(error)} again={refetch} />}
      {renewal && <Renewal key={id} renewal={renewal} />}
    </Drawer>
  );
}

function Renewal({ renewal }: { renewal: RenewalDetail }) {
  const { customer_id, days_until_due, due_date, status } = renewal;
  const { data: customer, error } = useQuery(customerQuery(customer_id));
  return (
    <>
      <p className={classes.standing}>
        <Anchor
          renderRoot={(props) => <Link to="/customers/$id" params={{ id: customer_id }} {...props} />}
          inherit
          fw={600}
        >
          {customer?.name ?? customer_id}
        </Anchor>
        <span>
          {statusNames[status]} · due {dayOf(due_date)}
        </span>
        {days_until_due !== null && <DaysLeft days={days_until_due} />}
      </p>
      {renewal.hold && <Held hold={renewal.hold} acknowledged={renewal.acknowledged} />}
      {renewal.reasons.length > 0 && <p className={classes.unknown}>At risk: {riskInWords(renewal.reasons)}.</p>}
      {!customer && error && isUnknown(asProblem(error)) && (
        <p className={classes.unknown}>
          Nobody has described this customer yet, so nobody can be written to.{' '}
          <Link to="/customers/$id" params={{ id: customer_id }}>
            Create this customer
          </Link>
        </p>
      )}
      <RenewalActions renewal={renewal} />
      <Part title="Alerts">
        <Ladder renewal={renewal} />
        <ToCome renewal={renewal} />
        <Sequence renewal={renewal} />
        <AlertList renewal={renewal} />
      </Part>
      <Part title="Details">
        <RenewalFacts renewal={renewal} />
      </Part>
      <Tasks renewal={renewal} />
      <Messages renewal={renewal} />
      <History renewal={renewal} />
      <div className={classes.part}>
        <Changes id={renewal.id} />
      </div>
    </>
  );
}

const Part = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <section className={classes.part}>
    <h3 className={classes.heading}>{title}</h3>
    {children}
  </section>
);

function Tasks({ renewal: { id } }: { renewal: RenewalDetail }) {
  const { data = [] } = useQuery(renewalTasksQuery(id));
  const agentOf = useAgentNames();
  if (data.length === 0) return null;
  return (
    <Part title="Tasks">
      <ul className={classes.list}>
        {data.map((task) => (
          <li key={task.id} data-closed={task.status !== 'OPEN' || undefined}>
            <PriorityWord priority={task.priority} />
            <Link to="/tasks" search={{ view: 'all', state: listedAs[task.status], task: task.id }}>
              {titleOf(task)}
            </Link>
            <span className={classes.aside}>{taskStanding(task, agentOf)}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** The list in which it stands. */
const listedAs = { OPEN: 'open', DONE: 'done', CANCELLED: 'cancelled' } as const;

function taskStanding({ status, responsible_agent }: Task, agentOf: (id: string) => string): string {
  if (status === 'OPEN') return responsible_agent === null ? 'nobody’s yet' : agentOf(responsible_agent);
  return status === 'DONE' ? 'done' : 'cancelled';
}

function Messages({ renewal: { messages, customer_id } }: { renewal: RenewalDetail }) {
  if (messages.length === 0) return null;
  return (
    <Part title="Messages about it">
      <ul className={classes.list}>
        {messages.map(({ communication_id, type, direction, status, occurred_at }) => (
          <li key={communication_id}>
            <ChannelIcon type={type} size={14} />
            <Link to="/customers/$id" params={{ id: customer_id }} search={{ message: communication_id }}>
              {direction === 'INBOUND'
                ? `The customer ${whatWasWritten[type]}`
                : `To the customer: ${status.toLowerCase()}`}
            </Link>
            <span className={classes.aside}>
              <When at={occurred_at} />
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

const Changes = ({ id }: { id: string }) => (
  <WhoChanged
    queryKey={renewalQuery(id).queryKey}
    ask={(query, signal) =>
      dataOf(api.GET('/ops/renewals/{renewal_id}/history', { params: { path: { renewal_id: id }, query }, signal }))
    }
  />
);

/** What it followed and what follows it. */
function History({ renewal }: { renewal: RenewalDetail }) {
  const { predecessor_id, successor_id, created_at, started_at, closed_at, status, source, cancelled_because } =
    renewal;
  return (
    <Part title="History">
      <ul className={classes.list}>
        {successor_id && <li>{linkTo(successor_id, 'The next term')}</li>}
        {closed_at && (
          <li>
            {statusNames[status]} <When at={closed_at} />
            {cancelled_because && whyCancelled(cancelled_because)}
          </li>
        )}
        {started_at && (
          <li>
            Started <When at={started_at} />
          </li>
        )}
        <li>
          Watched since <When at={created_at} />
          {source && ` by itself, because of ${source.id}`}
        </li>
        {predecessor_id && <li>{linkTo(predecessor_id, 'The term before')}</li>}
      </ul>
    </Part>
  );
}

const whyCancelled = ({ reason, note }: NonNullable<RenewalDetail['cancelled_because']>): string =>
  [reasonWords[reason], note].filter(Boolean).join(': ');

/** On whichever page one is. */
const linkTo = (id: string, words: string) => (
  <Anchor
    renderRoot={(props) => <Link to="." search={(now: object) => ({ ...now, renewal: id })} {...props} />}
    inherit
  >
    {words}
  </Anchor>
);
