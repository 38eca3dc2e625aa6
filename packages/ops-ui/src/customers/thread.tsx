import { Button, Text } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment, useEffect, useMemo, useRef } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Communication } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { ChannelIcon } from '../parts/channels.tsx';
import { dayHeading } from '../parts/dates.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { communicationsQuery, type Filter, markRead } from './communication-queries.ts';
import { RecordView } from './record.tsx';
import classes from './thread.module.css';
import { daysOf, firstUnread, type Group, lastCome } from './thread.ts';

interface ThreadProps {
  customerId: string;
  filter: Filter;
  search: string;
}

/**
 * The log, newest at the bottom. The scrolling box lays its one child out from its end, so the browser itself opens it at
 * the newest and keeps the place when older records come in above.
 */
export function Thread({ customerId, filter, search }: ThreadProps) {
  const query = useInfiniteQuery(communicationsQuery(customerId, filter, search));
  const { data, error, isLoadingError, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const records = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const days = useMemo(() => daysOf(records), [records]);
  const newFrom = useNewFrom(customerId, records.length > 0 ? firstUnread(records) : undefined);
  useMarkRead(
    customerId,
    filter === 'all' && search === '' ? lastCome(records) : undefined,
    data?.pages[0]?.unread_count ?? 0,
  );
  const scroller = useRef<HTMLDivElement>(null);
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
        {days.map(({ at, groups }) => (
          <section key={groups[0]?.key ?? at} className={classes.day} aria-label={dayHeading(at)}>
            <h2 className={classes.separator}>
              <span>{dayHeading(at)}</span>
            </h2>
            {groups.map((group) => (
              <GroupView key={group.key} group={group} newFrom={newFrom} />
            ))}
          </section>
        ))}
      </div>
    </div>
  );
}

/** More is fetched before somebody reaches the end of what is there. */
function Older({
  root,
  isFetching,
  fetchMore,
}: {
  root: React.RefObject<HTMLDivElement | null>;
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

function GroupView({ group: { records }, newFrom }: { group: Group; newFrom: string | undefined }) {
  const agentOf = useAgentNames();
  const [first] = records;
  if (!first) return null;
  return (
    <div className={classes.group} data-direction={first.direction}>
      {first.type !== 'CALL_LOG' && (
        <Text size="xs" c="var(--text-quiet)" className={classes.from}>
          <ChannelIcon type={first.type} size={14} /> {whoWrote(first, agentOf)}
        </Text>
      )}
      {records.map((record) => (
        <Fragment key={record.id}>
          {record.id === newFrom && <div className={classes.new}>new</div>}
          <RecordView record={record} />
        </Fragment>
      ))}
    </div>
  );
}

function whoWrote({ author, automated }: Communication, agentOf: (id: string) => string): string {
  if (author !== null) return agentOf(author);
  return automated ? 'Sent by the system' : '';
}

/** The line stays where it was when the customer was opened, although opening them marks all as read. */
function useNewFrom(customerId: string, unread: string | undefined): string | undefined {
  const kept = useRef<{ customerId: string; id: string | undefined }>(undefined);
  if (kept.current?.customerId !== customerId && unread !== undefined) kept.current = { customerId, id: unread };
  return kept.current?.customerId === customerId ? kept.current.id : undefined;
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
