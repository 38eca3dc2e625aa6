import type { Envelope } from '@ops/contracts/envelope';
import { type EventData, events } from '@ops/contracts/events';
import type { OutsideType } from '@ops/contracts/resources/communication';
import type { Answer, KeptSender, MessageChange } from '../filing/filed.rules.ts';
import { identifiersOf, keyOf, messageKey, type Placement, type Sender } from '../filing/matching.rules.ts';

const spec = events['provider.message.received'];

export type ProviderMessage = EventData<'provider.message.received'>;

/** A provider's item with the event that told of it. */
export interface Heard extends ProviderMessage {
  cause: Envelope;
}

/** An inbound message about to be logged; the columns have the same names. */
export interface InboundRecord {
  id: string;
  customer_id: string | null;
  type: OutsideType;
  subject: string | null;
  body: string;
  quoted: string | null;
  provider: string;
  provider_message_id: string;
  sender: KeptSender;
  /** The link that alone says whose it is. */
  placed_by: string | null;
  occurred_at: string;
  received_at: string;
  created_at: Date;
}

/** Each item once and oldest first, so that a batch is taken in as if each message had come alone and in time. */
export function inOrder(events: readonly Envelope[]): Heard[] {
  const items = new Map(events.map(read).map((heard) => [heard.item_id, heard]));
  return [...items.values()].sort((one, other) => Date.parse(one.occurred_at) - Date.parse(other.occurred_at));
}

const read = (cause: Envelope): Heard => ({ ...spec.data.parse(cause.data), cause });

export const senderOf = ({ sender, new_identity }: ProviderMessage): Sender => ({
  identifiers: identifiersOf(sender),
  becomes: new_identity === null ? [] : identifiersOf({ ...new_identity, email: null }),
});

/** What is taken in one after the other: all of one sender, and a message with whatever speaks of it. */
export function locksOf(message: ProviderMessage): string[] {
  const { identifiers, becomes } = senderOf(message);
  const named = [message.external_id, message.target_external_id ?? [], answeredIds(message)].flat();
  const sender = `sender:${message.channel}:${message.sender_key}`;
  return [sender, ...[...identifiers, ...becomes].map(keyOf), ...named.map((id) => messageKey(message.channel, id))];
}

/** The item's own id is the record's, so that an item told of twice is logged once. */
export const recordOf = (
  message: ProviderMessage,
  { customer, link }: Placement,
  folded: Folded,
  now: Date,
): InboundRecord => ({
  id: message.item_id,
  customer_id: customer,
  type: message.channel,
  subject: message.subject === null ? null : storable(message.subject),
  body: storable(folded.visible),
  quoted: folded.quoted === null ? null : storable(folded.quoted),
  provider: message.provider,
  provider_message_id: message.external_id,
  sender: keptSender(message),
  placed_by: link,
  occurred_at: message.occurred_at,
  received_at: message.received_at,
  created_at: now,
});

function keptSender({ sender, sender_key }: ProviderMessage): KeptSender {
  const text = (value: string | null) => (value === null ? null : storable(value));
  const { phone, email, user_id, name } = sender;
  return {
    key: storable(sender_key),
    address: storable(sender.address),
    name: text(name),
    phone: text(phone),
    email: text(email),
    user_id: text(user_id),
  };
}

export interface Folded {
  visible: string;
  quoted: string | null;
}

/** The database takes neither NUL nor half a character, and a message is not lost for one. */
export const storable = (text: string): string => text.replaceAll('\u0000', '\ufffd').toWellFormed();

/** As many as say something; the list of a long thread is as long as the thread. */
const MOST_ANSWERED = 20;
const answeredIds = ({ answers }: ProviderMessage) => [...new Set(answers.external_ids)].slice(0, MOST_ANSWERED);

export function answersOf(message: ProviderMessage): Answer[] {
  const record = recordOfToken(message.answers.token);
  const rows = answeredIds(message).map((external_id) => ({ external_id, record_id: null as string | null }));
  const all = record === null ? rows : [...rows, { external_id: null, record_id: record }];
  return all.map((row, position) => ({ ...row, communication_id: message.item_id, position }));
}

const TOKEN = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** Our reply token is a record's id without its dashes. */
const recordOfToken = (token: string | null): string | null =>
  TOKEN.exec(token?.toLowerCase() ?? '')
    ?.slice(1)
    .join('-') ?? null;

export interface FileToFetch {
  communication_id: string;
  position: number;
  role: 'file' | 'html' | 'original';
  name: string | null;
  media_type: string;
  size: number | null;
  content_id: string | null;
  source: 'ingest' | 'provider';
  provider: string;
  ref: string;
}

/** Who holds them gives them out later: a message is never held up by its files. */
export const filesOf = (message: ProviderMessage): FileToFetch[] =>
  message.parts.map(({ name, media_type, ...part }, position) => ({
    ...part,
    communication_id: message.item_id,
    position,
    name: name === null ? null : storable(name),
    media_type: storable(media_type),
    provider: message.provider,
  }));

export function changesOf(message: ProviderMessage): MessageChange[] {
  const { kind, target_external_id } = message;
  if (kind === 'message' || kind === 'identity' || target_external_id === null) return [];
  const content = { reaction: message.emoji || null, edit: message.body, withdrawal: null }[kind];
  return [
    {
      id: message.item_id,
      type: message.channel,
      target_external_id,
      kind,
      at: message.occurred_at,
      sender: storable(message.sender.address),
      content: content === null ? null : storable(content),
    },
  ];
}
