import { useEffect, useRef } from 'react';
import type { Communication } from '../api/types.ts';
import { answeredOf, before, type Draft, type Kind } from './compose.ts';
import { keepDraft, readDraft } from './outgoing.ts';

/** Whose composer is to show which kind; it may be on a page that is not there yet. */
let handed: { customerId: string; kind: Kind } | null = null;
const takers = new Set<() => void>();

/** Words for a person to look at and send themselves. What they had typed stays, after these. */
export function handOver(customerId: string, kind: Kind, words: Draft): void {
  const typed = readDraft(customerId, kind);
  if (!typed.body.startsWith(words.body)) keepDraft(customerId, kind, before(words, typed));
  hand(customerId, kind);
}

/** The words for that customer by the same channel, typed already or not, answer this one. */
export function answer(record: Communication): void {
  const { customer_id, type } = record;
  keepDraft(customer_id, type, { ...readDraft(customer_id, type), answers: answeredOf(record) });
  hand(customer_id, type);
}

/** Somebody goes on writing to that customer by that kind. */
export function hand(customerId: string, kind: Kind): void {
  handed = { customerId, kind };
  for (const take of takers) take();
}

/** `take` is told of the kind once there are words for this customer; they are its draft by then. */
export function useHandedOver(customerId: string, take: (kind: Kind) => void): void {
  const takeNow = useRef(take);
  useEffect(() => {
    takeNow.current = take;
  });
  useEffect(() => {
    const look = () => {
      if (handed?.customerId !== customerId) return;
      const { kind } = handed;
      handed = null;
      takeNow.current(kind);
    };
    takers.add(look);
    look();
    return () => {
      takers.delete(look);
    };
  }, [customerId]);
}
