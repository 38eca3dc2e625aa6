import { Button } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowRight, IconCheck, IconClock } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import type { CustomerDetail } from '../api/types.ts';
import { communicationsQuery } from '../customers/communication-queries.ts';
import { lastCome } from '../customers/thread.ts';
import { instantOf, When } from '../parts/dates.tsx';
import { useFurtherPages } from '../parts/further-pages.ts';
import type { Keys } from '../parts/key-help.tsx';
import { tell } from '../parts/told.tsx';
import { beDone } from './attention-actions.ts';
import { waitingQuery } from './attention-queries.ts';
import { SnoozeMenu } from './snooze-menu.tsx';
import classes from './waiting.module.css';
import { passedWith } from './waiting.ts';
import type { QueueSearch } from './waiting-search.ts';

export const attentionKeys: Keys = [
  ['e', 'be done: no answer is needed'],
  ['s', 'snooze the customer, or wake them'],
  ['n', 'the next customer who waits'],
];

/** Opens the next of those somebody goes through, or the list when there is none; undefined: they go through none. */
export function useNextWaiting(customerId: string, { queue, channel }: QueueSearch): (() => void) | undefined {
  const navigate = useNavigate();
  const query = useInfiniteQuery({ ...waitingQuery(queue ?? 'all', channel), enabled: queue !== undefined });
  const ids = query.data?.pages.flatMap((page) => page.data.map(({ customer_id }) => customer_id)) ?? [];
  const passed = useRef<ReadonlySet<string>>(new Set());
  passed.current = passedWith(ids, customerId, passed.current);
  // Who was answered just now is listed until that has left, and is not come back to.
  const next = useRef<string>(undefined);
  next.current = ids.find((id) => !passed.current.has(id));
  useFurtherPages(query, queue !== undefined && (next.current ?? ids.at(-1)) === ids.at(-1));
  if (queue === undefined) return undefined;
  const of = { ...(channel && { channel }) };
  return () => {
    if (next.current === undefined) return void navigate({ to: '/waiting', search: { view: queue, ...of } });
    void navigate({ to: '/customers/$id', params: { id: next.current }, search: { queue, ...of } });
  };
}

interface AttentionBarProps {
  customer: CustomerDetail;
  search: QueueSearch;
  /** Undefined: nobody goes through those who wait. */
  next: (() => void) | undefined;
}

/** Since when the customer waits for an answer, and what else than one can be done about it. */
export function AttentionBar({ customer, search: { queue, channel }, next }: AttentionBarProps) {
  const { id, name, waiting_since, snoozed_until } = customer;
  const seen = useLastSeen(id);
  const done = async () => {
    if (waiting_since === null) return;
    const upTo = seen();
    if (upTo && (await beDone(customer, upTo))) next?.();
  };
  const bar = useRef<HTMLDivElement>(null);
  useHotkeys([
    // Held down, it would be done with the next ones too.
    ['e', ({ repeat }) => void (repeat || done())],
    ['s', () => bar.current?.querySelector<HTMLElement>('[data-snooze]')?.click()],
    ['n', () => next?.()],
  ]);
  if (waiting_since === null && !next) return null;
  return (
    <div className={classes.bar} ref={bar}>
      {waiting_since === null ? (
        <span className={classes.quiet}>Waits for no answer</span>
      ) : (
        <>
          <span>
            <IconClock size={14} aria-hidden />{' '}
            {snoozed_until ? (
              `Snoozed until ${instantOf(snoozed_until)}`
            ) : (
              <>
                Waiting<span className={classes.spare}> for an answer</span>, wrote <When at={waiting_since} />
              </>
            )}
          </span>
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconCheck size={14} aria-hidden />}
            aria-label={`Done: ${name}`}
            aria-keyshortcuts="e"
            onClick={done}
          >
            Done
          </Button>
          <SnoozeMenu size="compact-xs" person={customer} seen={seen} snoozed={() => next?.()} />
        </>
      )}
      {next && (
        <>
          <Button
            size="compact-xs"
            variant="default"
            rightSection={<IconArrowRight size={14} aria-hidden />}
            aria-keyshortcuts="n"
            onClick={next}
          >
            Next
          </Button>
          <Link
            to="/waiting"
            search={{ ...(queue && { view: queue }), ...(channel && { channel }) }}
            className={classes.all}
          >
            All who wait
          </Link>
        </>
      )}
    </div>
  );
}

/**
 * Of the log as it was shown last, which stays while another tab or a filter is looked at: nothing that came since was seen.
 * Undefined where it was not shown yet, of which the person is told.
 */
function useLastSeen(id: string): () => string | undefined {
  const { data } = useInfiniteQuery({ ...communicationsQuery(id, 'all', ''), enabled: false });
  const last = lastCome(data?.pages.flatMap((page) => page.data) ?? [])?.id;
  return () => {
    if (last === undefined) tell('Look at all communications first: what waits here was not shown yet.');
    return last;
  };
}
