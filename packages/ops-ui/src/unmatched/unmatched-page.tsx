import { Button, SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { asProblem } from '../api/problem.ts';
import { PageHeader } from '../parts/page-header.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { LinkedCard, WaitingCard } from './message-card.tsx';
import classes from './unmatched.module.css';
import { ofSameSender } from './unmatched.ts';
import { unmatchedQuery } from './unmatched-queries.ts';

const route = getRouteApi('/unmatched');

/** Messages of senders nobody could place, until somebody says whose they are. */
export function UnmatchedPage() {
  const { linked = false } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
        title="Unmatched"
        filters={
          <SegmentedControl
            value={linked ? 'linked' : 'waiting'}
            onChange={(value) => navigate({ search: value === 'linked' ? { linked: true } : {} })}
            data={[
              { value: 'waiting', label: 'Waiting' },
              { value: 'linked', label: 'Linked' },
            ]}
            aria-label="Which messages"
          />
        }
      />
      {linked ? <Messages key="linked" state="linked" /> : <Messages key="waiting" state="waiting" />}
    </>
  );
}

function Messages({ state }: { state: 'waiting' | 'linked' }) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    unmatchedQuery(state),
  );
  if (isPending) return <Loading rows={4} height={140} />;
  if (!data) return <Failed problem={asProblem(error)} again={refetch} />;
  const messages = data.pages.flatMap((page) => page.data);
  if (messages.length === 0) return <Empty>{emptyWords[state]}</Empty>;
  return (
    <div className={classes.cards}>
      {messages.map((message) =>
        state === 'linked' ? (
          <LinkedCard key={message.id} message={message} />
        ) : (
          <WaitingCard key={message.id} message={message} together={ofSameSender(message, messages)} />
        ),
      )}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}

const emptyWords = {
  waiting: 'Every message has its customer.',
  linked: 'No message was linked to a customer yet.',
} as const;
