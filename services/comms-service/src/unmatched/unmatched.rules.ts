import type { Unmatched } from '@ops/contracts/resources/unmatched';
import { type Holders, holdersOf, identifiersOf } from '../filing/matching.rules.ts';

type Candidate = Unmatched['candidates'][number];

export interface StoredUnmatched extends Omit<Unmatched, 'state' | 'sender' | 'candidates'> {
  linked_to: string | null;
  /** The id under which it is in the log of whom that leads to. */
  filed_under: string | null;
  link_id: string | null;
  sender_key: string;
  keys: string[];
  address: string;
  phone: string | null;
  email: string | null;
  user_id: string | null;
  name: string | null;
  username: string | null;
  /** Customers who were sent what this one answers; and below, customers who are called like its sender. */
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
  const {
    linked_to: _,
    link_id,
    sender_key: __,
    keys: ___,
    answered: ____,
    namesakes: _____,
    filed_under: ______,
    ...rest
  } = stored;
  const { address, phone, email, user_id, name, username, ...message } = rest;
  const sender = { address, phone, email, user_id, name, username };
  return { ...message, sender, state: stateOf(stored), candidates };
}

function stateOf({ link_id, dismissed_at }: StoredUnmatched): Unmatched['state'] {
  if (link_id !== null) return 'linked';
  return dismissed_at === null ? 'waiting' : 'dismissed';
}

/**
 * Of whom nobody knows, all they write is meant. An address that customers share is theirs as well, and a mail that is
 * probably forged says nothing of whoever it names: of these it is the one message.
 */
export const isWholeSender = ({ reason }: Pick<StoredUnmatched, 'reason'>): boolean => reason === 'unknown';

export type LinkDecision = 'link' | 'same' | 'elsewhere';

/** A link is made once; what was placed otherwise is taken back or refiled first. */
export function decideLink(customer: string | null, wanted: string): LinkDecision {
  if (customer === null) return 'link';
  return customer === wanted ? 'same' : 'elsewhere';
}
