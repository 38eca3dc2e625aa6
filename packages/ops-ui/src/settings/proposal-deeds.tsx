import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { Proposal } from '../api/types.ts';
import { instantOf } from '../parts/dates.tsx';
import { tell, tellProblem } from '../parts/told.tsx';
import { whoAmI } from '../session/session.ts';

/** When it is so, or why it never will be. */
export function effectOf(proposal: Proposal, nameOf: (id: string) => string): string {
  const { status, confirmed_by, effective_at, reason } = proposal;
  if (status === 'EXPIRED') return 'Never: nobody confirmed it for a week';
  if (status === 'DECLINED') return `Never: ${reason}`;
  if (effective_at === null) return 'A day after another admin confirms it';
  return `${instantOf(effective_at)}${confirmed_by === null ? '' : `, confirmed by ${nameOf(confirmed_by)}`}`;
}

/** Confirmed by another than who proposed it, and called off by anybody. */
export function ProposalDeeds({ proposal: { id, status, proposed_by } }: { proposal: Proposal }) {
  const queries = useQueryClient();
  const done = {
    onSettled: () =>
      Promise.all([['retention'], ['customer']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
    onError: tellProblem,
  };
  const of = { params: { path: { id } } };
  const confirm = useMutation({
    ...done,
    mutationFn: () => dataOf(api.POST('/ops/proposals/{id}/confirm', of)),
    onSuccess: () => tell('Confirmed. It takes effect in a day, unless it is called off.'),
  });
  const callOff = useMutation({
    ...done,
    mutationFn: () => dataOf(api.POST('/ops/proposals/{id}/call-off', of)),
    onSuccess: () => tell('Called off. Everything stays as it is.'),
  });
  return (
    <Group gap="sm">
      {status === 'PROPOSED' && proposed_by !== whoAmI() && (
        <Button color="red.9" loading={confirm.isPending} onClick={() => confirm.mutate()}>
          Confirm
        </Button>
      )}
      {(status === 'PROPOSED' || status === 'CONFIRMED') && (
        <Button variant="default" loading={callOff.isPending} onClick={() => callOff.mutate()}>
          Call off
        </Button>
      )}
    </Group>
  );
}
