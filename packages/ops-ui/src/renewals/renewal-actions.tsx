import { Button, Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Renewal } from '../api/types.ts';
import { ActButton } from '../parts/act-button.tsx';
import { type NextTerm, useRenewalChanges } from './renewal-changes.ts';
import classes from './renewal-drawer.module.css';
import { isOpen } from './renewal-words.ts';

/** What can be done with it as it stands. */
export function RenewalActions({ renewal }: { renewal: Renewal }) {
  const { start, complete, cancel, reopen } = useRenewalChanges();
  const [asks, setAsks] = useState(false);
  if (!isOpen(renewal))
    return (
      <ActButton variant="default" isPending={reopen.isPending} act={() => reopen.mutate(renewal)}>
        Reopen
      </ActButton>
    );
  return (
    <>
      <div className={classes.actions}>
        <ActButton size="xs" isPending={complete.isPending} act={() => complete.mutate({ seen: renewal })}>
          Complete
        </ActButton>
        <Button size="xs" variant="default" aria-expanded={asks} onClick={() => setAsks(!asks)}>
          Other term…
        </Button>
        {renewal.started_at === null && (
          <ActButton size="xs" variant="default" isPending={start.isPending} act={() => start.mutate(renewal)}>
            Start
          </ActButton>
        )}
        <ActButton
          size="xs"
          px="sm"
          variant="subtle"
          color="gray"
          isPending={cancel.isPending}
          act={() => cancel.mutate(renewal)}
        >
          Cancel
        </ActButton>
      </div>
      {asks && (
        <NextTermForm
          isPending={complete.isPending}
          complete={(term) => complete.mutate({ seen: renewal, term }, { onSuccess: () => setAsks(false) })}
        />
      )}
    </>
  );
}

/** Another term than the usual one of its service type. */
function NextTermForm({ isPending, complete }: { isPending: boolean; complete(term: NextTerm): void }) {
  const [date, setDate] = useState('');
  const [isLast, setIsLast] = useState(false);
  return (
    <form
      className={classes.next}
      onSubmit={(event) => {
        event.preventDefault();
        complete(isLast ? { create_next: false } : { next_due_date: date });
      }}
    >
      <TextInput
        type="date"
        label="The next one is due"
        value={date}
        disabled={isLast}
        required={!isLast}
        onChange={({ currentTarget }) => setDate(currentTarget.value)}
      />
      <Checkbox
        label="There is no next one"
        checked={isLast}
        onChange={({ currentTarget }) => setIsLast(currentTarget.checked)}
      />
      <Button type="submit" loading={isPending}>
        Complete
      </Button>
    </form>
  );
}
