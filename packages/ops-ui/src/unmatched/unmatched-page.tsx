import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { asProblem } from '../api/problem.ts';
import type { Unmatched } from '../api/types.ts';
import { Listed } from '../parts/listed.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { MessageCard } from './message-card.tsx';
import classes from './unmatched.module.css';
import { ofSameSender } from './unmatched.ts';
import { oneUnmatchedQuery, unmatchedQuery } from './unmatched-queries.ts';

const route = getRouteApi('/unmatched');

/** Messages of senders nobody could place, until somebody says whose they are. */
export function UnmatchedPage() {
  const { message } = route.useSearch();
  return message === undefined ? <AllMessages /> : <OneMessage id={message} />;
}

function OneMessage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(oneUnmatchedQuery(id));
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
        title="Unmatched"
        filters={
          <Button size="compact-sm" variant="default" onClick={() => navigate({ search: {} })}>
            All that wait
          </Button>
        }
      />
      {!data && (error ? <Failed problem={asProblem(error)} again={refetch} /> : <Loading rows={1} height={140} />)}
      {data && (
        <div className={classes.cards}>
          <MessageCard message={data} />
        </div>
      )}
    </>
  );
}

function AllMessages() {
  const { linked = false, dismissed = false, q = '' } = route.useSearch();
  const state = linked ? 'linked' : dismissed ? 'dismissed' : 'waiting';
  const navigate = route.useNavigate();
  const search = useDebouncedCallback(
    (text: string) =>
      navigate({ search: ({ q: _, ...rest }) => (text === '' ? rest : { ...rest, q: text }), replace: true }),
    200,
  );
  return (
    <>
      <PageHeader
        title="Unmatched"
        filters={
          <>
            <SegmentedControl
              value={state}
              onChange={(value) =>
                navigate({ search: { ...(q && { q }), ...(value !== 'waiting' && { [value]: true }) } })
              }
              data={[
                { value: 'waiting', label: 'Waiting' },
                { value: 'linked', label: 'Linked' },
                { value: 'dismissed', label: 'Not for us' },
              ]}
              aria-label="Which messages"
            />
            <TextInput
              key={document.activeElement?.id === 'search-senders' ? 'typing' : q}
              id="search-senders"
              defaultValue={q}
              onChange={({ currentTarget }) => search(currentTarget.value.trim())}
              leftSection={<IconSearch size={16} />}
              placeholder="Number, address or name"
              aria-label="Search senders"
            />
          </>
        }
      />
      <Messages key={state} state={state} q={q} />
    </>
  );
}

function Messages({ state, q }: { state: Unmatched['state']; q: string }) {
  const query = useInfiniteQuery(unmatchedQuery(state, q));
  return (
    <Listed
      query={query}
      empty={q === '' ? emptyWords[state] : `No sender of these fits “${q}”.`}
      skeleton={{ rows: 4, height: 140 }}
    >
      {(messages) => (
        <div className={classes.cards}>
          {messages.map((message) => (
            <MessageCard key={message.id} message={message} together={ofSameSender(message, messages)} />
          ))}
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
