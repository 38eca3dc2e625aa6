import { Button, Group, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { LegalHold as Hold } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { instantOf } from '../parts/dates.tsx';
import { useNewDraft } from '../parts/new-draft.ts';
import { Refusal } from '../parts/refusal.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { useOpener } from '../parts/use-opener.ts';
import { Why } from '../parts/why.tsx';
import { OnlyAdmins, useIsAdmin } from '../settings/section.tsx';
import { customerQuery } from './customer-queries.ts';
import classes from './workspace.module.css';

const legalHoldQuery = (id: string) =>
  queryOptions({
    queryKey: [...customerQuery(id).queryKey, 'legal-hold'],
    queryFn: ({ signal }) => dataOf(api.GET('/ops/customers/{id}/legal-hold', { params: { path: { id } }, signal })),
  });

/** Whether anything of the customer may be removed; all staff see it, and admins say so. */
export function LegalHold({ customerId }: { customerId: string }) {
  const { data: hold, error, isPending, refetch } = useQuery(legalHoldQuery(customerId));
  const isAdmin = useIsAdmin();
  return (
    <section aria-label="Legal hold">
      <h2 className={classes.subtitle}>Legal hold</h2>
      {isPending && <Loading />}
      {!isPending && !hold && <Failed problem={asProblem(error)} again={refetch} />}
      {hold && <Standing hold={hold} />}
      {hold && (isAdmin ? <Change hold={hold} /> : <OnlyAdmins />)}
    </section>
  );
}

function Standing({ hold: { on, by, since, reason } }: { hold: Hold }) {
  const nameOf = useAgentNames();
  if (!on)
    return (
      <Text size="sm" c="var(--text-quiet)">
        None: what has had its time is removed. On hold, nothing of theirs is, whatever its age, until it is lifted.
      </Text>
    );
  return (
    <Text size="sm">
      <strong>On hold since {instantOf(String(since))}</strong>, by {nameOf(String(by))}: <q>{reason}</q>. Nothing of
      theirs is removed, whatever its age.
    </Text>
  );
}

function Change({ hold: { on, customer_id } }: { hold: Hold }) {
  const { isOpen, toggles, close } = useOpener();
  return (
    <>
      <Button {...toggles} size="compact-sm" variant="default" mt={8}>
        {on ? 'Lift the hold…' : 'Put on hold…'}
      </Button>
      {isOpen && <Decide key={String(on)} customerId={customer_id} on={!on} close={close} />}
    </>
  );
}

function Decide({ customerId, on, close }: { customerId: string; on: boolean; close(): void }) {
  const { draft, write, forget } = useNewDraft(`legal-hold ${customerId} ${on}`, { reason: '' });
  const [tried, setTried] = useState(false);
  const set = useSetting(customerId, on, () => {
    forget();
    close();
  });
  const reason = draft.reason.trim();
  const decide = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (reason !== '' && !set.isPending) set.mutate(reason);
  };
  const problem = set.error && asProblem(set.error);
  return (
    <form aria-label={on ? 'Put on legal hold' : 'Lift the legal hold'} onSubmit={decide}>
      <Group gap="sm" align="flex-start" mt={8}>
        <Why
          placeholder={on ? 'Why, such as: court and number of the case' : 'Why, such as: the case is settled'}
          value={draft.reason}
          write={(text) => write({ reason: text })}
          isMissing={tried && reason === ''}
          refused={problem?.field('reason')}
        />
        <Button size="xs" type="submit" loading={set.isPending}>
          {on ? 'Put on hold' : 'Lift the hold'}
        </Button>
        <Button size="xs" variant="subtle" color="gray" onClick={close}>
          Cancel
        </Button>
      </Group>
      {problem && <Refusal problem={problem} fields={['reason']} />}
    </form>
  );
}

function useSetting(id: string, on: boolean, done: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (reason: string) =>
      dataOf(api.PUT('/ops/customers/{id}/legal-hold', { params: { path: { id } }, body: { on, reason } })),
    onSuccess: (hold) => {
      queries.setQueryData(legalHoldQuery(id).queryKey, hold);
      done();
      return queries.invalidateQueries({ queryKey: customerQuery(id).queryKey });
    },
  });
}
