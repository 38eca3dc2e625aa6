import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { Proposal } from '../api/types.ts';
import classes from '../customers/workspace.module.css';
import { useAgentNames } from '../parts/agents.tsx';
import { instantOf } from '../parts/dates.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { useOpener } from '../parts/use-opener.ts';
import { effectOf, ProposalDeeds } from '../settings/proposal-deeds.tsx';
import { useIsAdmin } from '../settings/section.tsx';
import { erasureQuery } from './erasure-query.ts';

/** All there is of a customer goes, when two admins say so and a day has passed. Others are not shown that it can be done. */
export const Erase = ({ customerId }: { customerId: string }) => useIsAdmin() && <Erasing customerId={customerId} />;

function Erasing({ customerId }: { customerId: string }) {
  const { data, error, isPending, refetch } = useQuery(erasureQuery(customerId));
  const proposal = data?.proposal ?? null;
  const isOpen = proposal?.status === 'PROPOSED' || proposal?.status === 'CONFIRMED';
  return (
    <section aria-label="Erase">
      <h2 className={classes.subtitle}>Erase</h2>
      {isPending && <Loading />}
      {!isPending && !data && <Failed problem={asProblem(error)} again={refetch} />}
      {proposal && proposal.status !== 'CALLED_OFF' && <Proposed proposal={proposal} />}
      {data && !isOpen && <Begin customerId={customerId} />}
    </section>
  );
}

function Proposed({ proposal }: { proposal: Proposal }) {
  const nameOf = useAgentNames();
  return (
    <>
      <Text size="sm">
        <strong>Proposed {instantOf(proposal.proposed_at)}</strong> by {nameOf(proposal.proposed_by)}. Takes effect:{' '}
        {effectOf(proposal, nameOf)}
      </Text>
      <Group mt={8}>
        <ProposalDeeds proposal={proposal} />
      </Group>
    </>
  );
}

function Begin({ customerId }: { customerId: string }) {
  const { isOpen, toggles, close } = useOpener();
  return (
    <>
      <Text size="sm" c="var(--text-quiet)">
        All there is of them goes, everywhere and for good: messages, files, renewals that are over, tasks. Another
        admin confirms it, and for a day anybody of them calls it off.
      </Text>
      <Button {...toggles} size="compact-sm" variant="default" mt={8}>
        Erase…
      </Button>
      {isOpen && <Confirm customerId={customerId} close={close} />}
    </>
  );
}

/** Nobody types the id of somebody else by accident. */
function Confirm({ customerId, close }: { customerId: string; close(): void }) {
  const [typed, setTyped] = useState('');
  const [tried, setTried] = useState(false);
  const queries = useQueryClient();
  const propose = useMutation({
    mutationFn: () => dataOf(api.POST('/ops/customers/{id}/erase', { params: { path: { id: customerId } } })),
    onSuccess: () => {
      close();
      return queries.invalidateQueries({ queryKey: erasureQuery(customerId).queryKey });
    },
  });
  const isSure = typed.trim() === customerId;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (isSure && !propose.isPending) propose.mutate();
  };
  const problem = propose.error && asProblem(propose.error);
  return (
    <form aria-label="Propose to erase them" onSubmit={submit}>
      <Group gap="sm" align="flex-start" mt={8}>
        <TextInput
          size="xs"
          autoFocus
          label={`Type ${customerId} to go on`}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          error={tried && !isSure ? `That is not ${customerId}.` : undefined}
          autoComplete="off"
          w={240}
        />
        <Button size="xs" mt={24} type="submit" color="red.9" loading={propose.isPending}>
          Propose to erase
        </Button>
        <Button size="xs" mt={24} variant="subtle" color="gray" onClick={close}>
          Cancel
        </Button>
      </Group>
      {problem && <Refusal problem={problem} fields={[]} />}
    </form>
  );
}
