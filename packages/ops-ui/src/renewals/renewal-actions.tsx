import { Button, Checkbox, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Renewal } from '../api/types.ts';
import { ActButton } from '../parts/act-button.tsx';
import { CancelForm } from './cancel-form.tsx';
import { useHoldChanges } from './hold-changes.ts';
import { NotNowForm } from './not-now-form.tsx';
import { type NextTerm, useRenewalChanges } from './renewal-changes.ts';
import classes from './renewal-drawer.module.css';
import { isOpen } from './renewal-words.ts';
import { WatchedTwice } from './watched-twice.tsx';

type Asked = 'term' | 'hold' | 'reason' | 'duplicate';

/** What can be done with it as it stands. */
export function RenewalActions({ renewal }: { renewal: Renewal }) {
  const { start, complete, cancel, reopen } = useRenewalChanges();
  const { release } = useHoldChanges();
  const [asks, setAsks] = useState<Asked | null>(null);
  const notNow = useRef<HTMLButtonElement>(null);
  const notAtAll = useRef<HTMLButtonElement>(null);
  const ask = (what: Asked) => setAsks(asks === what ? null : what);
  if (!isOpen(renewal))
    return (
      <ActButton variant="default" isPending={reopen.isPending} act={() => reopen.mutate(renewal)}>
        Reopen
      </ActButton>
    );
  return (
    <>
      <WatchedTwice renewal={renewal} cancel={() => ask('duplicate')} />
      <div className={classes.actions}>
        <ActButton size="xs" isPending={complete.isPending} act={() => complete.mutate({ seen: renewal })}>
          Complete
        </ActButton>
        <Button size="xs" variant="default" aria-expanded={asks === 'term'} onClick={() => ask('term')}>
          Other term…
        </Button>
        {renewal.started_at === null && (
          <ActButton size="xs" variant="default" isPending={start.isPending} act={() => start.mutate(renewal)}>
            Start
          </ActButton>
        )}
        {mayBeHeld(renewal) && (
          <Button ref={notNow} size="xs" variant="default" aria-expanded={asks === 'hold'} onClick={() => ask('hold')}>
            Not now…
          </Button>
        )}
        {renewal.hold && (
          <ActButton size="xs" variant="default" isPending={release.isPending} act={() => release.mutate(renewal)}>
            Release
          </ActButton>
        )}
        <Button
          ref={notAtAll}
          size="xs"
          variant="subtle"
          color="gray"
          aria-expanded={asks === 'reason'}
          onClick={() => ask('reason')}
        >
          Cancel…
        </Button>
      </div>
      {asks === 'hold' && (
        <NotNowForm
          renewal={renewal}
          close={() => {
            notNow.current?.focus();
            setAsks(null);
          }}
        />
      )}
      {(asks === 'reason' || asks === 'duplicate') && (
        <CancelForm
          key={asks}
          reason={asks === 'duplicate' ? 'duplicate' : 'not_needed'}
          renewal={renewal}
          isPending={cancel.isPending}
          cancel={(why, cancelled) => {
            const onSuccess = () => {
              cancelled();
              setAsks(null);
            };
            if (!cancel.isPending) cancel.mutate({ seen: renewal, why }, { onSuccess });
          }}
          close={() => {
            notAtAll.current?.focus();
            setAsks(null);
          }}
        />
      )}
      {asks === 'term' && (
        <NextTermForm
          isPending={complete.isPending}
          wrong={complete.error ? asProblem(complete.error).field('next_due_date') : undefined}
          complete={(term) => complete.mutate({ seen: renewal, term }, { onSuccess: () => setAsks(null) })}
        />
      )}
    </>
  );
}

/** What is overdue is not put off any more. */
const mayBeHeld = ({ status }: Renewal): boolean => status !== 'OVERDUE';

interface NextTermFormProps {
  isPending: boolean;
  /** Why the date was not taken. */
  wrong: string | undefined;
  complete(term: NextTerm): void;
}

/** Another term than the usual one of its service type. */
function NextTermForm({ isPending, wrong, complete }: NextTermFormProps) {
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
        error={wrong}
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
