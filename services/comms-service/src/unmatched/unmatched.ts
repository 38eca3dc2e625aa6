import type { Unmatched } from '@ops/contracts/resources/unmatched';
import { type Holders, holdersOf, identifiersOf, keyOf, type Placement } from '../customers/matching.ts';
import { foldName } from '../customers/search.ts';
import { type ProviderMessage, senderOf, storable } from '../inbound/inbound.ts';

type Candidate = Unmatched['candidates'][number];

/** A message nobody could place, with what is known of its sender; the columns have the same names. */
export interface WaitingMessage {
  communication_id: string;
  type: ProviderMessage['channel'];
  reason: 'unknown' | 'ambiguous';
  sender_key: string;
  address: string;
  phone: string | null;
  email: string | null;
  user_id: string | null;
  name: string | null;
  name_folded: string | null;
  keys: string[];
  occurred_at: string;
}

export function waitingOf(message: ProviderMessage, { reason }: Placement): WaitingMessage[] {
  if (reason === null) return [];
  const { sender } = message;
  const text = (value: string | null) => (value === null ? null : storable(value));
  return [
    {
      ...{ communication_id: message.item_id, type: message.channel, reason, occurred_at: message.occurred_at },
      sender_key: storable(message.sender_key),
      address: storable(sender.address),
      phone: text(sender.phone),
      email: text(sender.email),
      user_id: text(sender.user_id),
      name: text(sender.name),
      name_folded: sender.name === null ? null : foldName(storable(sender.name)),
      keys: senderOf(message).identifiers.map(keyOf),
    },
  ];
}

/** What files messages of a sender in a customer's log, all at once; taken back at once as well. */
export interface Link {
  id: string;
  customer: string;
  /** Nobody: the customer got the identifier, and the messages came by themselves. */
  by: string | null;
  at: Date;
}

export const historyOf = (change: 'linked' | 'unlinked', link: Link, records: readonly string[]) =>
  records.map((communication_id) => ({
    ...{ communication_id, change, actor: link.by, at: link.at },
    details: { customer_id: link.customer, link_id: link.id },
  }));

export interface StoredUnmatched extends Omit<Unmatched, 'state' | 'sender' | 'candidates'> {
  linked_to: string | null;
  link_id: string | null;
  sender_key: string;
  keys: string[];
  address: string;
  phone: string | null;
  email: string | null;
  user_id: string | null;
  name: string | null;
  /** Who was written to by what it answers, and who is called as its sender. */
  answered: string[];
  namesakes: string[];
}

const MOST_CANDIDATES = 20;

/** The strongest reason for each customer; strongest first. */
export function candidatesOf(stored: StoredUnmatched, holders: Holders): Omit<Candidate, 'name'>[] {
  const reasons: [Candidate['because'], string[]][] = [
    ['identifier', identifiersOf(stored).flatMap((one) => holdersOf(one, holders))],
    ['reply', stored.answered],
    ['name', stored.namesakes],
  ];
  const all = reasons.flatMap(([because, customers]) => customers.map((customer_id) => ({ customer_id, because })));
  const first = all.filter((one, index) => all.findIndex((other) => other.customer_id === one.customer_id) === index);
  return first.slice(0, MOST_CANDIDATES);
}

export function toUnmatched(stored: StoredUnmatched, candidates: Candidate[]): Unmatched {
  const { linked_to: _, link_id, sender_key: __, keys: ___, answered: ____, namesakes: _____, ...rest } = stored;
  const { address, phone, email, user_id, name, ...message } = rest;
  const sender = { address, phone, email, user_id, name };
  return { ...message, sender, state: link_id === null ? 'waiting' : 'linked', candidates };
}

export type LinkDecision = 'link' | 'same' | 'elsewhere';

/** A link is made once; what was placed otherwise is taken back or refiled first. */
export function decideLink(customer: string | null, wanted: string): LinkDecision {
  if (customer === null) return 'link';
  return customer === wanted ? 'same' : 'elsewhere';
}
