import { SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Unmatched } from '../api/types.ts';
import { Listed } from '../parts/listed.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { DismissedCard, LinkedCard, WaitingCard } from './message-card.tsx';
import classes from './unmatched.module.css';
import { ofSameSender } from './unmatched.ts';
import { unmatchedQuery } from './unmatched-queries.ts';

const route = getRouteApi('/unmatched');

/** Messages of senders nobody could place, until somebody says whose they are. */
export function UnmatchedPage() {
  const { linked = false, dismissed = false } = route.useSearch();
  const state = linked ? 'linked' : dismissed ? 'dismissed' : 'waiting';
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
        title="Unmatched"
        filters={
          <SegmentedControl
            value={state}
            onChange={(value) => navigate({ search: value === 'waiting' ? {} : { [value]: true } })}
            data={[
              { value: 'waiting', label: 'Waiting' },
              { value: 'linked', label: 'Linked' },
              { value: 'dismissed', label: 'Not for us' },
            ]}
            aria-label="Which messages"
          />
        }
      />
      <Messages key={state} state={state} />
    </>
  );
}

function Messages({ state }: { state: Unmatched['state'] }) {
  const query = useInfiniteQuery(unmatchedQuery(state));
  return (
    <Listed query={query} empty={emptyWords[state]} skeleton={{ rows: 4, height: 140 }}>
      {(messages) => (
        <div className={classes.cards}>
          {messages.map((message) => {
            if (state === 'linked') return <LinkedCard key={message.id} message={message} />;
            if (state === 'dismissed') return <DismissedCard key={message.id} message={message} />;
            return <WaitingCard key={message.id} message={message} together={ofSameSender(message, messages)} />;
          })}
        </div>
      )}
    </Listed>
  );
}

const emptyWords = {
  waiting: 'Every message has its customer.',
  linked: 'No message was linked to a customer yet.',
  dismissed: 'No message was put away as not for us.',
} as const;
