import type { EventData } from '@ops/contracts/events';
import type { FieldError } from '@ops/contracts/problem';
import {
  type Customer,
  type CustomerIdentifier,
  type FactSource,
  type FactSources,
  type PatchCustomer,
  type PutCustomer,
  preferredChannel,
} from '@ops/contracts/resources/customer';
import type { CountryCode } from 'libphonenumber-js';
import type { SenderIdentifier } from '../filing/matching.rules.ts';
import { readAll, readEmail, readPhone } from './identifier.rules.ts';

/** What a customer is besides its identifiers; the columns have the same names. */
export interface Profile {
  name: string;
  locale: string | null;
  time_zone: string | null;
  assigned_agent: string | null;
  preferred_channel: Customer['preferred_channel'];
  do_not_contact: boolean;
}

interface Identifier extends SenderIdentifier, Pick<CustomerIdentifier, 'opted_out'> {
  /** `given` by the firm, or `learned` from a message. */
  source: 'given' | 'learned';
  given_by: FactSource | null;
  /** Which id it belongs to: the customer's own, or an alias. */
  of: string;
}

/** A customer as the firm wants it, its identifiers normalised. */
export interface Wanted {
  profile: Profile;
  phones: string[];
  emails: string[];
  by: FactSource;
  /** A former customer; undefined: as it was. */
  archived?: boolean | undefined;
}

export interface StoredCustomer extends Profile {
  id: string;
  version: number;
  created_at: string;
  updated_at: string;
  unread_count: number;
  archived_at: string | null;
  sources: FactSources;
  /** Of an alias: who it is. */
  leads_to: string | null;
  /** Given ones first, each kind of source in its own order. */
  identifiers: Identifier[];
  /** Its place in the list. */
  sort_key: string;
}

/** What a PUT would say, which says nothing of who is a former customer. */
type Said = PutCustomer & Pick<PatchCustomer, 'archived'>;

/** What is left out is as it was. */
export function patched(stored: StoredCustomer | undefined, patch: PatchCustomer): Said {
  return {
    name: stored?.name ?? '',
    phones: stored ? given(stored, 'phone') : [],
    emails: stored ? given(stored, 'email') : [],
    do_not_contact: stored?.do_not_contact ?? false,
    locale: stored?.locale,
    time_zone: stored?.time_zone,
    assigned_agent: stored?.assigned_agent,
    preferred_channel: stored?.preferred_channel,
    ...onlyGiven(patch),
  };
}

/** A field that is undefined is one that was left out. */
const onlyGiven = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

export function readCustomer(
  input: Said,
  region: CountryCode | undefined,
  by: FactSource,
): Wanted | { problems: FieldError[] } {
  const phones = readAll('phones', input.phones, (typed) => readPhone(typed, region));
  const emails = readAll('emails', input.emails, readEmail);
  const problems = [...phones.problems, ...emails.problems];
  if (problems.length > 0) return { problems };
  return { profile: profileOf(input), phones: phones.values, emails: emails.values, by, archived: input.archived };
}

const profileOf = (input: PutCustomer): Profile => ({
  name: input.name,
  locale: input.locale ?? null,
  time_zone: input.time_zone ?? null,
  assigned_agent: input.assigned_agent ?? null,
  preferred_channel: input.preferred_channel ?? null,
  do_not_contact: input.do_not_contact,
});

/** Nothing to write: a repeated PUT raises no version and no event. */
export const isAlready = (stored: StoredCustomer, wanted: Wanted): boolean =>
  (Object.keys(wanted.profile) as (keyof Profile)[]).every((field) => stored[field] === wanted.profile[field]) &&
  sameList(given(stored, 'phone'), wanted.phones) &&
  sameList(given(stored, 'email'), wanted.emails) &&
  isFormer(stored) === (wanted.archived ?? isFormer(stored));

export const isFormer = ({ archived_at }: Pick<Customer, 'archived_at'>): boolean => archived_at !== null;

/** Said again, it is so since it was first said. */
export function archivedAtOf(stored: StoredCustomer | undefined, { archived }: Wanted, now: Date) {
  const before = stored?.archived_at ?? null;
  if (archived === undefined) return before;
  return archived ? (before ?? now.toISOString()) : null;
}

export const identifiersGiven = ({ phones, emails }: Wanted): SenderIdentifier[] => [
  ...phones.map((value) => ({ kind: 'phone' as const, value })),
  ...emails.map((value) => ({ kind: 'email' as const, value })),
];

/** These claim what waits for them. A message that was taken back from the customer is not claimed by a change of name. */
export const newlyGiven = (stored: StoredCustomer | undefined, wanted: Wanted): SenderIdentifier[] =>
  identifiersGiven(wanted).filter(({ kind, value }) => !stored || !given(stored, kind).includes(value));

export const given = (stored: StoredCustomer, kind: Identifier['kind']): string[] => [
  ...new Set(stored.identifiers.filter((one) => one.kind === kind && one.source === 'given').map((one) => one.value)),
];

/** Without what it has of its aliases. */
export const ownOf = (stored: StoredCustomer): StoredCustomer => ({
  ...stored,
  identifiers: stored.identifiers.filter(({ of }) => of === stored.id),
});

/** What whoever says so may change of the customer: a person sees all of them, a system knows the one id. */
export const changeableBy = (by: FactSource, stored: StoredCustomer): StoredCustomer =>
  by === 'staff' && stored.leads_to === null ? stored : ownOf(stored);

const sameList = (left: string[], right: string[]): boolean =>
  left.length === right.length && left.every((value, index) => value === right[index]);

/** The resource: given identifiers first, one that was learned as well only once. */
export function toCustomer({ identifiers, sort_key: _, leads_to: __, ...rest }: StoredCustomer): Customer {
  const shown = kinds.flatMap((kind) => uniqueOf(identifiers.filter((one) => one.kind === kind)));
  const all = (kind: Identifier['kind']) => shown.filter((one) => one.kind === kind).map(({ value }) => value);
  const opted_out = preferredChannel.options.filter((channel) =>
    shown.some((one) => one.primary && one.opted_out[channel]),
  );
  return {
    ...rest,
    phones: all('phone'),
    emails: all('email'),
    user_ids: all('user_id'),
    identifiers: shown,
    opted_out: opted_out.toSorted(),
  };
}

const kinds = ['phone', 'email', 'user_id'] as const;

const uniqueOf = (identifiers: Identifier[]): CustomerIdentifier[] =>
  identifiers
    .filter(({ value }, index) => identifiers.findIndex((one) => one.value === value) === index)
    .map(({ of: _, ...one }, index) => ({ ...one, primary: index === 0 }));

/** What people change, and of each address by which channels machines do not write to it. */
export function auditedOf(customer: Customer) {
  const { name, phones, emails, locale, time_zone, assigned_agent, preferred_channel, do_not_contact } = customer;
  const opt_outs = customer.identifiers
    .flatMap(({ value, opted_out }) => Object.keys(opted_out).map((channel) => `${channel} ${value}`))
    .sort();
  const own = { name, phones, emails, locale, time_zone, assigned_agent, preferred_channel, do_not_contact };
  return { ...own, opt_outs, archived: isFormer(customer) };
}

export function customerChanged(customer: Customer): EventData<'customer.changed'> {
  const { id, created_at: _, updated_at, unread_count: __, identifiers: ___, sources: ____, ...whole } = customer;
  return { ...whole, customer_id: id, occurred_at: updated_at };
}
