import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { CancelRenewal, Renewal } from '../api/types.ts';
import { dayOf } from '../parts/dates.tsx';
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
  const give = async (ids: string[], agent: string | null) =>
    (
      await dataOf(
        api.POST('/ops/renewals/assign', {
          params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
          body: { renewal_ids: ids, assigned_agent: agent },
        }),
      )
    ).data;
  return useMutation({
    mutationFn: ({ renewals, agent }: { renewals: readonly Renewal[]; agent: string | null }) =>
      give(
        renewals.map(({ id }) => id),
        agent,
      ),
    onSuccess: (outcomes, { renewals, agent }) => {
      const done = new Set(outcomes.flatMap(({ outcome, renewal_id }) => (outcome === 'assigned' ? [renewal_id] : [])));
      const before = Map.groupBy(
        renewals.filter(({ id }) => done.has(id)),
        ({ assigned_agent }) => assigned_agent,
      );
      const takeBack = async () => {
        try {
          for (const [owner, theirs] of before)
            await give(
              theirs.map(({ id }) => id),
              owner,
            );
        } catch (error) {
          tellProblem(error);
        }
        await fetchAgain(queries);
      };
      tell(assignedInWords(done.size, outcomes.length, agent && nameOf(agent)), done.size > 0 ? takeBack : undefined);
    },
    onError: tellProblem,
    onSettled: () => fetchAgain(queries),
  });
}

function assignedInWords(done: number, all: number, agent: string | null): string {
  const given = agent === null ? `${done} taken from their agent.` : `${done} given to ${agent}.`;
  return done === all ? given : `${given} ${all - done} stay as they were.`;
}
