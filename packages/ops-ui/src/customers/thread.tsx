import { Button, Text } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment, memo, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Communication } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { ChannelIcon, whatWasWritten } from '../parts/channels.tsx';
import { dayHeading, timeOf, useToday } from '../parts/dates.tsx';
import { type Paged, useFetchUntil, useFurtherPages } from '../parts/further-pages.ts';
import { ShowMore } from '../parts/show-more.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { tell, tellProblem } from '../parts/told.tsx';
import { counted } from '../parts/words.ts';
import { RenewalLabels } from './about-renewals.tsx';
import { communicationsQuery, type Filter, markRead } from './communication-queries.ts';
import { writtenTo } from './inbound-facts.ts';
import { RecordView } from './record.tsx';
import classes from './thread.module.css';
import { cameAfter, type Day, daysOf, firstUnread, lastCome } from './thread.ts';

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
  const query = useInfiniteQuery(communicationsQuery(customerId, filter, search, message));
  const { data, error, isLoadingError, isPending, refetch, hasNextPage } = query;
  const records = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const days = useDays(records);
  const agentOf = useAgentNames();
  const today = useToday();
  const scroller = useRef<HTMLDivElement>(null);
  const unread = data?.pages[0]?.unread_count ?? 0;
  const [isAtEnd, setIsAtEnd] = useState(message === undefined);
  const { opening, newFrom } = useOpening(query, records, unread, message, scroller, setIsAtEnd);
  const isOpen = opening === 'found' || opening === 'absent';
  // Of what some filter or search leaves out, nothing was seen.
  const isAll = filter === 'all' && search === '';
  const seen = useSeen(isOpen && isAll ? records : [], isAtEnd, message === undefined && opening === 'found');
  useMarkRead(customerId, seen?.id, unread);
  const below =
    isAll && opening !== 'going on' ? records.filter((one) => one.unread && !(seen && !cameAfter(one, seen))) : [];
  if (isPending) return <Loading rows={8} height={40} />;
  if (isLoadingError) return <Failed problem={asProblem(error)} again={refetch} />;
  if (records.length === 0)
    return (
      <div className={classes.nothing}>
        <Empty>{emptyWords(filter, search)}</Empty>
      </div>
    );
  return (
    <>
      <div
        className={classes.scroller}
        ref={scroller}
        onScroll={({ currentTarget }) => setIsAtEnd(isNearEnd(currentTarget))}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        tabIndex={0}
        role="log"
        // What comes in is told below; older ones that come in above are no news.
        aria-live="off"
        aria-label="Communications"
      >
        <div className={classes.thread}>
          {hasNextPage && <Older root={scroller} query={query} />}
          <RenewalLabels customerId={customerId} records={records}>
            {days.map((day) => (
              <DayView
                key={day.from}
                heading={dayHeading(day.from, today)}
                groups={day.groups}
                newFrom={newFrom}
                agentOf={agentOf}
              />
            ))}
          </RenewalLabels>
        </div>
      </div>
      <div role="status" className={classes.below}>
        {!isAtEnd && below.length > 0 && (
          <Button size="compact-sm" onClick={() => scroller.current?.scrollTo({ top: 0 })}>
            {counted(below.length, 'new message')} below
          </Button>
        )}
        <Arrived records={records} />
      </div>
    </>
  );
}

const atEndPx = 40;

/** Where somebody sees what comes in. */
const isNearEnd = (log: HTMLElement) => log.scrollTop > -atEndPx;

/** For who does not see it: what the customer writes while the log is open. */
function Arrived({ records }: { records: readonly Communication[] }) {
  const last = lastCome(records.filter(({ direction }) => direction === 'INBOUND'));
  const atFirst = useRef(last?.id);
  if (!last || last.id === atFirst.current) return null;
  return (
    <span key={last.id} className="visually-hidden">
      The customer {whatWasWritten[last.type]} at {timeOf(last.occurred_at)}
    </span>
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
function Older({ root, query }: { root: RefObject<HTMLDivElement | null>; query: Paged }) {
  const { ref, entry } = useIntersection({ root: root.current, rootMargin: '800px 0px 0px 0px' });
  useFurtherPages(query, entry?.isIntersecting === true);
  return (
    <div ref={ref} className={classes.older}>
      <ShowMore size="compact-sm" variant="subtle" color="gray" query={query}>
        Older
      </ShowMore>
    </div>
  );
}

interface DayProps {
  heading: string;
  groups: Day['groups'];
  newFrom: string | undefined;
  agentOf(id: string): string;
}

/** Drawn again only when something in it changed: there may be thousands of records. */
const DayView = memo(function DayView({ heading, groups, newFrom, agentOf }: DayProps) {
  return (
    <section className={classes.day} aria-label={heading}>
      <h2 className={classes.separator}>{heading}</h2>
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

function whoWrote(record: Communication, agentOf: (id: string) => string): string {
  if (record.author !== null) return agentOf(record.author);
  if (record.phone_app) return 'Written on the phone';
  const to = writtenTo(record);
  if (to !== null) return `to ${to}`;
  return record.automated ? 'Sent by the system' : '';
}

/**
 * Where one begins to read: at the message one was led to, else at the first that nobody had read, however far back it is.
 * Says how that went, and from where on all is new; the line stays where it was when the customer was opened, although
 * opening them marks all as read.
 */
function useOpening(
  query: Paged,
  records: readonly Communication[],
  unread: number,
  message: string | undefined,
  scroller: RefObject<HTMLDivElement | null>,
  setIsAtEnd: (isAtEnd: boolean) => void,
) {
  const isThere =
    message === undefined
      ? records.filter((one) => one.unread).length >= unread
      : records.some(({ id }) => id === message);
  const opening = useFetchUntil(query, isThere);
  const newFrom = useRef<string>(undefined);
  if (opening !== 'going on') newFrom.current ??= firstUnread(records);
  useEffect(() => {
    if (opening === 'going on') return;
    if (opening === 'failed')
      tellProblem('The log could not be read as far back as it should. Open it again to try again.');
    if (message === undefined) beginReading(scroller.current);
    else if (opening === 'absent') tell('That message is not in this log any more.');
    else showRecord(scroller.current, message);
    setIsAtEnd(scroller.current !== null && isNearEnd(scroller.current));
  }, [opening, message, scroller, setIsAtEnd]);
  return { opening, newFrom: newFrom.current };
}

/** Up to the last that came: of those that are there at first, and then as long as somebody sees them come. */
function useSeen(records: readonly Communication[], isAtEnd: boolean, areSeenAtFirst: boolean) {
  const seen = useRef<Communication>(undefined);
  const last = isAtEnd || (areSeenAtFirst && !seen.current) ? lastCome(records) : undefined;
  if (last && !(seen.current && cameAfter(seen.current, last))) seen.current = last;
  return seen.current;
}

/** At what is new; whoever is nowhere else in the page goes on from there by keys, or from the last where nothing is. */
function beginReading(log: HTMLDivElement | null): void {
  const line = log?.querySelector(`.${classes.new}`);
  line?.scrollIntoView();
  const { activeElement, body } = document;
  if (activeElement !== body && activeElement?.id !== 'content') return;
  const records = log?.querySelectorAll<HTMLElement>(`${line ? `.${classes.new} ~ ` : ''}[data-record]`) ?? [];
  [...records].at(line ? 0 : -1)?.focus({ preventScroll: true });
}

function showRecord(log: HTMLDivElement | null, id: string): void {
  const record = log?.querySelector<HTMLElement>(`[data-record="${CSS.escape(id)}"]`);
  record?.scrollIntoView({ block: 'center' });
  record?.focus({ preventScroll: true });
}

/**
 * Seen is what is on a screen somebody looks at, and nothing newer. Who marks it unread meanwhile, here or elsewhere, has seen it and
 * means otherwise: only what comes after it is seen again.
 */
function useMarkRead(customerId: string, newest: string | undefined, unread: number): void {
  const isUnread = useRef(false);
  isUnread.current = unread > 0;
  useEffect(() => {
    if (newest === undefined || !isUnread.current) return undefined;
    const mark = () => {
      if (document.visibilityState === 'visible') markRead(customerId, newest).catch(() => undefined);
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [customerId, newest]);
}

function emptyWords(filter: Filter, search: string): string {
  if (search !== '') return `Nothing in this log has “${search}” in it.`;
  if (filter === 'notes') return 'There is no note about this customer yet.';
  return filter === 'all'
    ? 'Nothing was said yet. Write the first message below.'
    : 'Nothing was said on this channel yet.';
}
