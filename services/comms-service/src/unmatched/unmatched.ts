import type { Unmatched } from '@ops/contracts/resources/unmatched';
import { type Holders, holdersOf, identifiersOf, keyOf, type Placement } from '../customers/matching.ts';
import { foldName } from '../customers/search.ts';
import type { InboundRecord, KeptSender, ProviderMessage } from '../inbound/inbound.ts';

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

export function waitingOf({ id, type, sender, occurred_at }: InboundRecord, { reason }: Placement): WaitingMessage[] {
  return reason === null ? [] : [waiting({ communication_id: id, type, reason, occurred_at }, sender)];
}

type Message = Pick<WaitingMessage, 'communication_id' | 'type' | 'reason' | 'occurred_at'>;

const waiting = (message: Message, { key: sender_key, ...sender }: KeptSender): WaitingMessage => ({
  ...message,
  ...sender,
  sender_key,
  name_folded: sender.name === null ? null : foldName(sender.name),
  keys: identifiersOf(sender).map(keyOf),
});

/** A message that only a link had placed; its sender is gone when it was redacted. */
export type FollowingMessage = Omit<Message, 'reason'> & { sender: KeptSender | null };

/** The link is taken back: now it waits as if the link had never been. */
export function waitingAgain({ sender, ...message }: FollowingMessage): WaitingMessage {
  const gone = { key: `redacted:${message.communication_id}`, address: '' };
  return waiting({ ...message, reason: 'unknown' }, sender ?? { ...gone, ...nobody });
}

const nobody = { phone: null, email: null, user_id: null, name: null };

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
