import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { CancelRenewal, Renewal } from '../api/types.ts';
import { dayOf } from '../parts/dates.tsx';
import { giveAll } from '../parts/give-all.ts';
import { tell, tellProblem } from '../parts/told.tsx';

export type Seen = Pick<Renewal, 'id' | 'version'>;

/** What is changed is what is on the screen. */
export const ofSeen = ({ id, version }: Seen) => ({
  path: { renewal_id: id },
  header: { 'If-Match': `"${version}"` },
});

const shown = ['renewals', 'renewal', 'customer-renewals', 'flags', 'tasks'];

/** The live stream would say the same a moment later. */
export const fetchAgain = (queries: QueryClient) =>
  Promise.all(shown.map((root) => queries.invalidateQueries({ queryKey: [root] })));

export interface NextTerm {
  next_due_date?: string;
  create_next?: false;
}

/** Everything a person does to a renewal. What can be taken back offers it. */
export function useRenewalChanges() {
  const queries = useQueryClient();
  const after = { onError: tellProblem, onSettled: () => fetchAgain(queries) };
  const reopen = useMutation({
    mutationFn: (seen: Seen) => dataOf(api.PATCH('/ops/renewals/{renewal_id}/reopen', { params: ofSeen(seen) })),
    onSuccess: () => tell('Reopened.'),
    ...after,
  });
  const start = useMutation({
    mutationFn: (seen: Seen) => dataOf(api.PATCH('/ops/renewals/{renewal_id}/start', { params: ofSeen(seen) })),
    onSuccess: () => tell('Started.'),
    ...after,
  });
  const complete = useMutation({
    mutationFn: ({ seen, term = {} }: { seen: Seen; term?: NextTerm }) =>
      dataOf(api.PATCH('/ops/renewals/{renewal_id}/complete', { params: ofSeen(seen), body: term })),
    onSuccess: ({ renewal, next_renewal }) =>
      tell(
        next_renewal
          ? `Completed. The next one is due ${dayOf(next_renewal.due_date)}.`
          : 'Completed. There is no next one.',
        () => reopen.mutate(renewal),
      ),
    ...after,
  });
  const cancel = useMutation({
    mutationFn: ({ seen, why }: { seen: Seen; why: CancelRenewal }) =>
      dataOf(api.PATCH('/ops/renewals/{renewal_id}/cancel', { params: ofSeen(seen), body: why })),
    onSuccess: (renewal) => tell('Cancelled. Nobody is reminded of it any more.', () => reopen.mutate(renewal)),
    ...after,
  });
  const change = useMutation({
    mutationFn: ({ seen, by }: { seen: Seen; by: Change }) =>
      dataOf(api.PATCH('/ops/renewals/{renewal_id}', { params: ofSeen(seen), body: by })),
    ...after,
  });
  return { start, complete, cancel, reopen, change };
}

export type RenewalChanges = ReturnType<typeof useRenewalChanges>;

type Change = Partial<Pick<Renewal, 'due_date' | 'notes' | 'policy_id' | 'assigned_agent' | 'reminders'>>;

/** Gives several to one agent; taken back, each goes to whom it belonged. */
export function useAssign(nameOf: (id: string) => string) {
  const queries = useQueryClient();
  const settled = () => fetchAgain(queries);
  return useMutation({
    mutationFn: ({ renewals, agent }: { renewals: readonly Renewal[]; agent: string | null }) =>
      giveAll({ items: renewals, agent, give, nameOf, settled }),
    onError: tellProblem,
    onSettled: settled,
  });
}

async function give(renewal_ids: string[], assigned_agent: string | null): Promise<string[]> {
  const { data } = await dataOf(
    api.POST('/ops/renewals/assign', {
      params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
      body: { renewal_ids, assigned_agent },
    }),
  );
  return data.flatMap(({ renewal_id, outcome }) => (outcome === 'assigned' ? [renewal_id] : []));
}
