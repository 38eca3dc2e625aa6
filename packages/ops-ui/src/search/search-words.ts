import { linkOptions } from '@tanstack/react-router';
import type { FoundCommunication, QueuedRenewal, Task } from '../api/types.ts';
import { dayOf } from '../parts/dates.tsx';
import { statusNames } from '../renewals/renewal-words.ts';

/** What tells one renewal from another in a line. */
export const renewalHint = ({ customer_name, customer_id, due_date, status }: QueuedRenewal): string =>
  `${customer_name ?? customer_id} · due ${dayOf(due_date)} · ${statusNames[status]}`;

export const renewalLabel = ({ service_type, policy_id }: QueuedRenewal, nameOf: (code: string) => string): string =>
  [nameOf(service_type), policy_id].filter(Boolean).join(' ');

const states: Record<Task['status'], string> = { OPEN: 'open', DONE: 'done', CANCELLED: 'cancelled' };

export const taskHint = ({ status, due_date }: Task): string =>
  [states[status], due_date && `due ${dayOf(due_date)}`].filter(Boolean).join(' · ');

/** Who wrote it, or to whom. */
export const whoseWords = ({ customer_name, sender }: FoundCommunication): string =>
  customer_name ?? `${sender ?? ''}, not known yet`;

/** In whose log it is; of nobody yet, among the unmatched. */
export const placeOf = ({ id, customer_id }: FoundCommunication) =>
  customer_id === null
    ? linkOptions({ to: '/unmatched', search: { message: id } })
    : linkOptions({ to: '/customers/$id', params: { id: customer_id }, search: { message: id } });
