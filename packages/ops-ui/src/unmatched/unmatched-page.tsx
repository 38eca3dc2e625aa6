import { SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Listed } from '../parts/listed.tsx';
import { PageHeader } from '../parts/page-header.tsx';
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
  const query = useInfiniteQuery(unmatchedQuery(state));
  return (
    <Listed query={query} empty={emptyWords[state]} skeleton={{ rows: 4, height: 140 }}>
      {(messages) => (
        <div className={classes.cards}>
          {messages.map((message) =>
            state === 'linked' ? (
              <LinkedCard key={message.id} message={message} />
            ) : (
              <WaitingCard key={message.id} message={message} together={ofSameSender(message, messages)} />
            ),
          )}
        </div>
      )}
    </Listed>
  );
}

const emptyWords = {
  waiting: 'Every message has its customer.',
  linked: 'No message was linked to a customer yet.',
} as const;
