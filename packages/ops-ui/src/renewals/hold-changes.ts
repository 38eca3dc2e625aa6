import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { Renewal } from '../api/types.ts';
import { dayOf } from '../parts/dates.tsx';
import { tell, tellProblem } from '../parts/told.tsx';
import { useIsThere } from '../parts/use-is-there.ts';
import { fetchAgain, ofSeen, type Seen } from './renewal-changes.ts';

/** Somebody looks after it until that day. */
interface Acknowledgement {
  until: string;
  note: string | null;
}

/** It, and what else holds it. */
type Holding = Seen & Pick<Renewal, 'hold' | 'acknowledged'>;

interface Acknowledging {
  seen: Holding;
  wanted: Acknowledgement;
  /** In a form, whose fields say what is wrong with it. */
  isTyped?: true;
}

/** Null: it is not the first thing that holds it, or over. */
const acknowledgementOf = ({ hold, acknowledged }: Holding): Acknowledgement | null =>
  acknowledged && hold?.because === 'acknowledged' ? { until: acknowledged.until, note: acknowledged.note } : null;

/** Keeps the customer from being reminded, and ends whatever does. */
export function useHoldChanges() {
  const queries = useQueryClient();
  const isThere = useIsThere();
  const onSettled = () => fetchAgain(queries);
  const acknowledge = useMutation({
    mutationFn: ({ seen, wanted }: Acknowledging) =>
      dataOf(api.PATCH('/ops/renewals/{renewal_id}/acknowledge', { params: ofSeen(seen), body: wanted })),
    onSuccess: (renewal, { seen, wanted }) => {
      const before = acknowledgementOf(seen);
      const undo = before ? () => acknowledge.mutate({ seen: renewal, wanted: before }) : () => release.mutate(renewal);
      // A release would end what held it before as well.
      tell(`The customer is not reminded until ${dayOf(wanted.until)}.`, before || !seen.hold ? undo : undefined);
    },
    onSettled,
    onError: (error, { isTyped }) => {
      const isToldAtField = isTyped && isThere() && asProblem(error).problem.errors !== undefined;
      if (!isToldAtField) tellProblem(error);
    },
  });
  const release = useMutation({
    mutationFn: (seen: Holding) => dataOf(api.PATCH('/ops/renewals/{renewal_id}/release', { params: ofSeen(seen) })),
    onSuccess: (renewal, seen) => {
      const before = acknowledgementOf(seen);
      // What was started or answered cannot be made to hold again.
      const isAll = before !== null && before.until === seen.hold?.until;
      tell(
        'Released. Nothing holds it any more.',
        isAll ? () => acknowledge.mutate({ seen: renewal, wanted: before }) : undefined,
      );
    },
    onSettled,
    onError: tellProblem,
  });
  return { acknowledge, release };
}
