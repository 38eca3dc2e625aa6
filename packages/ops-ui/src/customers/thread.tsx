import { Button, Text } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment, memo, type RefObject, useEffect, useMemo, useRef } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Communication } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { ChannelIcon } from '../parts/channels.tsx';
import { dayHeading, useToday } from '../parts/dates.tsx';
import { useFetchUntil } from '../parts/fetch-until.ts';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { tell } from '../parts/told.tsx';
import { communicationsQuery, type Filter, markRead } from './communication-queries.ts';
import { RecordView } from './record.tsx';
import classes from './thread.module.css';
import { type Day, daysOf, firstUnread, lastCome } from './thread.ts';

interface ThreadProps {
  customerId: string;
  filter: Filter;
  search: string;
  /** The one that somebody was led to. */
  message: string | undefined;
}

/**
 * The log, newest at the bottom. The scrolling box lays its one child out from its end, so the browser itself opens it at
 * the newest and keeps the place when older records come in above.
 */
export function Thread({ customerId, filter, search, message }: ThreadProps) {
  const query = useInfiniteQuery(communicationsQuery(customerId, filter, search));
  const { data, error, isLoadingError, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const records = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const days = useDays(records);
  const agentOf = useAgentNames();
  const today = useToday();
  const scroller = useRef<HTMLDivElement>(null);
  const unread = data?.pages[0]?.unread_count ?? 0;
  const newFrom = useOpening(query, records, unread, message, scroller);
  const isAll = filter === 'all' && search === '';
  useMarkRead(customerId, newFrom !== undefined && isAll ? lastCome(records) : undefined, unread);
  if (isPending) return <Loading rows={8} height={40} />;
  if (isLoadingError) return <Failed problem={asProblem(error)} again={refetch} />;
  if (records.length === 0)
    return (
      <div className={classes.nothing}>
        <Empty>{emptyWords(filter, search)}</Empty>
      </div>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <div className={classes.scroller} ref={scroller} tabIndex={0} role="log" aria-label="Communications">
      <div className={classes.thread}>
        {hasNextPage && <Older root={scroller} isFetching={isFetchingNextPage} fetchMore={fetchNextPage} />}
        {days.map((day) => (
          <DayView
            key={day.from}
            heading={dayHeading(day.from, today)}
            groups={day.groups}
            newFrom={newFrom}
            agentOf={agentOf}
          />
        ))}
      </div>
    </div>
  );
}

function useDays(records: readonly Communication[]): Day[] {
  const before = useRef<Day[]>([]);
  return useMemo(() => {
    before.current = daysOf(records, before.current);
    return before.current;
  }, [records]);
}

/** More is fetched before somebody reaches the end of what is there. */
function Older({
  root,
  isFetching,
  fetchMore,
}: {
  root: RefObject<HTMLDivElement | null>;
  isFetching: boolean;
  fetchMore(): unknown;
}) {
  const { ref, entry } = useIntersection({ root: root.current, rootMargin: '800px 0px 0px 0px' });
  const isNear = entry?.isIntersecting === true;
  useEffect(() => {
    if (isNear && !isFetching) fetchMore();
  }, [isNear, isFetching, fetchMore]);
  return (
    <div ref={ref} className={classes.older}>
      <Button size="compact-sm" variant="subtle" color="gray" loading={isFetching} onClick={() => fetchMore()}>
        Older
      </Button>
    </div>
  );
}

interface DayProps {
  heading: string;
  groups: Day['groups'];
  newFrom: string | null | undefined;
  agentOf(id: string): string;
}

/** Drawn again only when something in it changed: there may be thousands of records. */
const DayView = memo(function DayView({ heading, groups, newFrom, agentOf }: DayProps) {
  return (
    <section className={classes.day} aria-label={heading}>
      <h2 className={classes.separator}>
        <span>{heading}</span>
      </h2>
      {groups.map(({ key, records }) => (
        <div key={key} className={classes.group} data-direction={records[0]?.direction}>
          {records.map((record, n) => (
            <Fragment key={record.id}>
              {record.id === newFrom && <div className={classes.new}>new</div>}
              {n === 0 && <Writer record={record} agentOf={agentOf} />}
              <RecordView record={record} />
            </Fragment>
          ))}
        </div>
      ))}
    </section>
  );
});

/** Who wrote what follows, and by which channel; a call says so itself. */
function Writer({ record, agentOf }: { record: Communication; agentOf(id: string): string }) {
  if (record.type === 'CALL_LOG') return null;
  return (
    <Text size="xs" c="var(--text-quiet)" className={classes.from}>
      <ChannelIcon type={record.type} size={14} /> {whoWrote(record, agentOf)}
    </Text>
  );
}

function whoWrote({ author, automated }: Communication, agentOf: (id: string) => string): string {
  if (author !== null) return agentOf(author);
  return automated ? 'Sent by the system' : '';
}

/**
 * Where one begins to read: at the message one was led to, else at the first that nobody had read, however far back it is.
 * Gives from where on all is new, null if nothing is, and undefined as long as that is looked for. The line stays where it
 * was when the customer was opened, although opening them marks all as read.
 */
function useOpening(
  query: Parameters<typeof useFetchUntil>[0],
  records: readonly Communication[],
  unread: number,
  message: string | undefined,
  scroller: RefObject<HTMLDivElement | null>,
): string | null | undefined {
  const isLedTo = message === undefined || records.some(({ id }) => id === message);
  const isOpen = useFetchUntil(query, isLedTo && records.filter((one) => one.unread).length >= unread);
  const newFrom = useRef<string>(undefined);
  if (isOpen) newFrom.current ??= firstUnread(records);
  useEffect(() => {
    if (!isOpen) return;
    if (message === undefined) scroller.current?.querySelector(`.${classes.new}`)?.scrollIntoView();
    else showRecord(scroller.current, message);
  }, [isOpen, message, scroller]);
  return isOpen ? (newFrom.current ?? null) : undefined;
}

function showRecord(log: HTMLDivElement | null, id: string): void {
  const record = log?.querySelector<HTMLElement>(`[data-record="${CSS.escape(id)}"]`);
  if (!record) tell('That message is not in this log any more.');
  record?.scrollIntoView({ block: 'center' });
  record?.focus({ preventScroll: true });
}

/** Seen is what is on a screen somebody looks at, and nothing newer. */
function useMarkRead(customerId: string, newest: string | undefined, unread: number): void {
  useEffect(() => {
    if (newest === undefined || unread === 0) return undefined;
    const mark = () => {
      if (document.visibilityState === 'visible') markRead(customerId, newest).catch(() => undefined);
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [customerId, newest, unread]);
}

function emptyWords(filter: Filter, search: string): string {
  if (search !== '') return `Nothing in this log has “${search}” in it.`;
  if (filter === 'notes') return 'There is no note about this customer yet.';
  return filter === 'all'
    ? 'Nothing was said yet. Write the first message below.'
    : 'Nothing was said on this channel yet.';
}
