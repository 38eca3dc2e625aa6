import { useInfiniteQuery } from '@tanstack/react-query';
import { useReducer, useRef, useState } from 'react';
import type { Communication, Customer, CustomerDetail } from '../api/types.ts';
import { useNow } from '../parts/dates.tsx';
import { communicationsQuery } from './communication-queries.ts';
import { type Answered, type Draft, firstKind, type Kind, kinds, newestOf, usuallyAnswered } from './compose.ts';
import { hasDraft, keepDraft, readDraft, takeDraftsAlong } from './outgoing.ts';

/** How one writes and what is written so far: as the customer wrote last, until somebody says or types something. */
export function useDraft(customer: CustomerDetail) {
  const { id, merged_from } = customer;
  // Before anything looks for a draft.
  useState(() => takeDraftsAlong(merged_from, id));
  const opened = useOpening(customer);
  const [chosen, setChosen] = useState<Kind>();
  const kind = chosen ?? opened;
  const [, drawAgain] = useReducer((count: number) => count + 1, 0);
  const typed = useRef(new Map<Kind, Draft>());
  const draftOf = (of: Kind): Draft => typed.current.get(of) ?? readDraft(id, of);
  const take = (of: Kind, next: Draft) => {
    typed.current.set(of, next);
    drawAgain();
  };
  const write = (change: (draft: Draft) => Partial<Draft>, of: Kind = kind) => {
    const next = { ...draftOf(of), ...change(draftOf(of)) };
    take(of, next);
    keepDraft(id, of, next);
    setChosen((before) => before ?? of);
  };
  const choose = (next: Kind) => {
    take(next, readDraft(id, next));
    setChosen(next);
  };
  return { kind, choose, draft: draftOf(kind), write, take };
}

/** What comes in later does not change it under somebody's hands. */
function useOpening(customer: Customer): Kind {
  const log = useNewest(customer.id);
  const settled = useRef<Kind>(undefined);
  const last = kinds.find((kind) => kind === newestOf(log ?? [])?.type);
  const first = firstKind(customer, (one) => hasDraft(customer.id, one), last);
  if (log) settled.current ??= first;
  return settled.current ?? first;
}

export function useAnswered(customerId: string, kind: Kind, { answers }: Draft): Answered | null {
  const log = useNewest(customerId);
  const now = useNow();
  return answers === undefined ? usuallyAnswered(kind, log ?? [], now) : answers;
}

/** The end of the log, as it is fetched for whoever reads it. */
function useNewest(customerId: string): readonly Communication[] | undefined {
  const { data } = useInfiniteQuery(communicationsQuery(customerId, 'all', ''));
  return data?.pages[0]?.data;
}
