import type { WebhookDelivery } from '../api/types.ts';
import { type ProcessName, processLabels, type ServiceName, serviceLabels } from './service-names.ts';
import { outcomeWords, providerNames } from './webhook-words.ts';

const textOf = (given: unknown): string | undefined =>
  typeof given === 'string' || typeof given === 'number' ? String(given) : undefined;

const among = <T extends string>(known: Record<T, string>, given: unknown): T | undefined =>
  typeof given === 'string' && Object.hasOwn(known, given) ? (given as T) : undefined;

/** What stands beside a list: one of it to be changed, or a new one. */
export interface FormSearch {
  edit?: string;
  add?: true;
}

export function formSearch({ edit, add }: Record<string, unknown>): FormSearch {
  const chosen = textOf(edit);
  if (chosen !== undefined) return { edit: chosen };
  return add === true ? { add } : {};
}

/** Without a service, the first of them. */
export interface DeadLetterSearch {
  service?: ServiceName;
  replayed?: true;
}

export function deadLetterSearch({ service, replayed }: Record<string, unknown>): DeadLetterSearch {
  const name = among(serviceLabels, service);
  return { ...(name && { service: name }), ...(replayed === true && { replayed }) };
}

/** Days are whole ones, where the person sits. */
export interface AuditSearch {
  service?: ProcessName;
  customer?: string;
  who?: string;
  from?: string;
  to?: string;
}

export function auditSearch({ service, customer, who, from, to }: Record<string, unknown>): AuditSearch {
  const given = { service: among(processLabels, service), customer: textOf(customer), who: textOf(who) };
  const days = { from: dayIn(from), to: dayIn(to) };
  return Object.fromEntries(Object.entries({ ...given, ...days }).filter(([, value]) => value));
}

const dayIn = (given: unknown) =>
  typeof given === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given))
    ? given
    : undefined;

export interface WebhookSearch {
  provider?: WebhookDelivery['provider'];
  outcome?: WebhookDelivery['outcome'];
  delivery?: string;
}

export function webhookSearch(search: Record<string, unknown>): WebhookSearch {
  const provider = among(providerNames, search.provider);
  const outcome = among(outcomeWords, search.outcome);
  const delivery = textOf(search.delivery);
  return { ...(provider && { provider }), ...(outcome && { outcome }), ...(delivery && { delivery }) };
}

/** Without a year, the one that it is. */
export interface YearSearch {
  year?: number;
}

export const yearSearch = ({ year }: Record<string, unknown>): YearSearch =>
  Number.isInteger(year) && Number(year) >= 2000 && Number(year) <= 2198 ? { year: Number(year) } : {};
