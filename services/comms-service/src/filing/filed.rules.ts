import type { EventData } from '@ops/contracts/events';
import type { OutsideType } from '@ops/contracts/resources/communication';
import { foldName } from '../fold-name.rules.ts';
import { identifiersOf, keyOf, type Placement } from './matching.rules.ts';

/** A sender as it is kept with its message. */
export interface KeptSender extends Omit<EventData<'provider.message.received'>['sender'], 'username'> {
  key: string;
  /** Left out by versions before. */
  username?: string | null;
}

/** What a message names as answered, the likeliest first; the columns have the same names. */
export interface Answer {
  communication_id: string;
  position: number;
  external_id: string | null;
  record_id: string | null;
}

/** What a sender made of a message later; the columns have the same names. */
export interface MessageChange {
  id: string;
  type: OutsideType;
  target_external_id: string;
  kind: 'reaction' | 'edit' | 'withdrawal';
  direction: 'INBOUND' | 'OUTBOUND';
  sender: string;
  content: string | null;
  at: string;
}

/** A message nobody could place, with what is known of its sender; the columns have the same names. */
export interface WaitingMessage {
  communication_id: string;
  type: OutsideType;
  reason: NonNullable<Placement['reason']>;
  sender_key: string;
  address: string;
  phone: string | null;
  email: string | null;
  user_id: string | null;
  name: string | null;
  username?: string | null;
  name_folded: string | null;
  keys: string[];
  occurred_at: string;
}

export function waitingOf({ id, type, sender, occurred_at }: Sent, { reason }: Placement): WaitingMessage[] {
  return reason === null ? [] : [waiting({ communication_id: id, type, reason, occurred_at }, sender)];
}

/** A record that came in from outside. */
interface Sent {
  id: string;
  type: OutsideType;
  sender: KeptSender;
  occurred_at: string;
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
  /** The id they are filed under, and whom that leads to. */
  customer: string;
  home: string;
  /** Null: nobody linked them; the customer got the identifier, and the messages came by themselves. */
  by: string | null;
  at: Date;
}

export const historyOf = (change: 'linked' | 'unlinked', link: Link, records: readonly string[]) =>
  records.map((communication_id) => ({
    communication_id,
    change,
    actor: link.by,
    at: link.at,
    details: { customer_id: link.customer, link_id: link.id },
  }));
