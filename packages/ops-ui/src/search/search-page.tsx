import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconCalendarDue, IconChecklist, IconSearch, IconUser } from '@tabler/icons-react';
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';
import type { FoundCommunication } from '../api/types.ts';
import { customersQuery } from '../customers/customer-queries.ts';
import { ChannelIcon } from '../parts/channels.tsx';
import { When } from '../parts/dates.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useServiceNames } from '../renewals/service-types.ts';
import { titleOf } from '../tasks/task-title.ts';
import { senderAddress } from '../unmatched/unmatched.ts';
import classes from './search.module.css';
import { isEnough, messagesQuery, renewalsQuery, sendersQuery, tasksQuery } from './search-queries.ts';
import { placeOf, renewalHint, renewalLabel, taskHint, whoseWords } from './search-words.ts';
import { Snippet } from './snippet.tsx';

const route = getRouteApi('/search');
const atOnce = 20;

/** All there is that fits: customers, renewals, tasks, and what was said. */
export function SearchPage() {
  const { q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const search = useDebouncedCallback(
    (text: string) => navigate({ search: text === '' ? {} : { q: text }, replace: true }),
    200,
  );
  return (
    <>
      <PageHeader
        title="Search"
        filters={
          <TextInput
            key={document.activeElement?.id === 'search-all' ? 'typing' : q}
            id="search-all"
            defaultValue={q}
            onChange={({ currentTarget }) => search(currentTarget.value)}
            leftSection={<IconSearch size={16} />}
            placeholder="Name, number, address, or words of a message"
            aria-label="Search everything"
            className={classes.field}
          />
        }
      />
      {isEnough(q.trim()) ? <Results q={q.trim()} /> : <Empty>Three characters or more find something.</Empty>}
    </>
  );
}

function Results({ q }: { q: string }) {
  const nameOf = useServiceNames();
  const customers = useInfiniteQuery(customersQuery(q));
  const renewals = useInfiniteQuery(renewalsQuery(q, atOnce));
  const tasks = useInfiniteQuery(tasksQuery(q, atOnce));
  const senders = useInfiniteQuery(sendersQuery(q, atOnce));
  const messages = useInfiniteQuery(messagesQuery(q, atOnce));
  return (
    <>
      <Part title="Customers" query={customers}>
        {({ id, name, phones, emails, archived_at }) => (
          <Link key={id} to="/customers/$id" params={{ id }} className={classes.row}>
            <IconUser size={16} aria-hidden />
            <Row what={name}>
              {[archived_at && 'former customer', id, phones[0], emails[0]].filter(Boolean).join(' · ')}
            </Row>
          </Link>
        )}
      </Part>
      <Part title="Renewals" query={renewals}>
        {(renewal) => (
          <Link
            key={renewal.id}
            to="/customers/$id"
            params={{ id: renewal.customer_id }}
            search={{ tab: 'renewals', renewal: renewal.id }}
            className={classes.row}
          >
            <IconCalendarDue size={16} aria-hidden />
            <Row what={renewalLabel(renewal, nameOf)}>{renewalHint(renewal)}</Row>
          </Link>
        )}
      </Part>
      <Part title="Tasks" query={tasks}>
        {(task) => (
          <Link key={task.id} to="/tasks" search={{ view: 'all', task: task.id }} className={classes.row}>
            <IconChecklist size={16} aria-hidden />
            <Row what={titleOf(task)}>{taskHint(task)}</Row>
          </Link>
        )}
      </Part>
      <Part title="Senders nobody knows yet" query={senders}>
        {(message) => (
          <Link to="/unmatched" search={{ message: message.id }} className={classes.row}>
            <ChannelIcon type={message.type} />
            <Row what={message.sender.name ?? senderAddress(message)}>
              {senderAddress(message)} · <When at={message.occurred_at} />
            </Row>
          </Link>
        )}
      </Part>
      <Part title="Messages, notes and calls" query={messages}>
        {(found) => <Message key={found.id} found={found} />}
      </Part>
      {messages.data?.pages[0]?.is_partial && (
        <p className={classes.nothing}>
          More was said with these words than can be looked through: the newest is here. Another word finds the rest.
        </p>
      )}
    </>
  );
}

const Message = ({ found }: { found: FoundCommunication }) => (
  <Link {...placeOf(found)} className={classes.row}>
    <ChannelIcon type={found.type} />
    <Row
      what={
        <>
          {whoseWords(found)} · <When at={found.occurred_at} />
        </>
      }
    >
      <Snippet pieces={found.snippet} />
    </Row>
  </Link>
);

const Row = ({ what, children }: { what: ReactNode; children: ReactNode }) => (
  <span>
    <span className={classes.what}>{what}</span>
    <span className={classes.hint}>{children}</span>
  </span>
);

interface PartProps<T> {
  title: string;
  query: UseInfiniteQueryResult<InfiniteData<{ data: T[] }>>;
  children(item: T): ReactNode;
}

function Part<T>({ title, query, children }: PartProps<T>) {
  const { data, error, refetch } = query;
  const items = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section className={classes.part} aria-label={title} aria-busy={query.isPlaceholderData || undefined}>
      <h2>{title}</h2>
      {!data && (error ? <Failed problem={asProblem(error)} again={refetch} /> : <Loading rows={2} />)}
      {data && items.length === 0 && <p className={classes.nothing}>None.</p>}
      <ul>
        {items.map((item, n) => (
          <li key={n}>{children(item)}</li>
        ))}
      </ul>
      <ShowMore m="sm" size="compact-sm" query={query} />
    </section>
  );
}
