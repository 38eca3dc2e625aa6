import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { CustomerDetail } from '../api/types.ts';
import { Loading } from '../parts/states.tsx';
import { tell } from '../parts/told.tsx';
import type { Kind } from './compose.ts';
import { customerQuery } from './customer-queries.ts';
import { hand } from './hand-over.ts';

const route = getRouteApi('/customers/$id');

/** In place of the page of an id that leads to a customer who was entered twice: to theirs, also under somebody's hands. */
export function LedOn({ from, customer }: { from: string; customer: CustomerDetail }) {
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  // Before what they write in is gone: keys that are typed into nothing do what they stand for.
  const [writing] = useState(kindInHand);
  useEffect(() => {
    const { id, name } = customer;
    queries.setQueryData(customerQuery(id).queryKey, customer);
    if (writing) hand(id, writing);
    tell(`${from} is ${name}, ${id}.`);
    void navigate({ params: { id }, search: (before) => before, replace: true });
  }, [from, customer, writing, navigate, queries]);
  return <Loading rows={8} />;
}

/** What somebody is just writing. */
function kindInHand(): Kind | undefined {
  const field = document.activeElement;
  return field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement
    ? (field.closest<HTMLElement>('section[data-kind]')?.dataset.kind as Kind | undefined)
    : undefined;
}
