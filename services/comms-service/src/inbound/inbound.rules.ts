import type { EventData, EventOf } from '@ops/contracts/events';
import type { CommunicationStatus, ContactCard, OutsideType, Place } from '@ops/contracts/resources/communication';
import { storable } from '@ops/contracts/text';
import type { Answer, KeptSender, MessageChange } from '../filing/filed.rules.ts';
import { identifiersOf, keyOf, messageKey, type Placement, type Sender } from '../filing/matching.rules.ts';
import { type OptOutRow, rowsOf } from '../filing/opt-out.rules.ts';

export type ProviderMessage = EventData<'provider.message.received'>;

/** A provider's item with the event that told of it. */
export interface Heard extends ProviderMessage {
  cause: EventOf<'provider.message.received'>;
}

/** A provider's message about to be logged; the columns have the same names. */
export interface InboundRecord {
  id: string;
  /** The id it is filed under; of one that is kept, the customer whom that leads to. */
  customer_id: string | null;
  type: OutsideType;
  direction: ProviderMessage['direction'];
  status: CommunicationStatus;
  unread: boolean;
  attempt: number | null;
  phone_app: boolean;
  imported: boolean;
  forwarded: boolean;
  group_id: string | null;
  subject: string | null;
  body: string;
  quoted: string | null;
  provider: string;
  provider_message_id: string;
  automatic: boolean;
  recipient: string | null;
  reply_to: string | null;
  sender_verified: ProviderMessage['sender_verified'] | null;
  sender: KeptSender;
  /** The link that alone says whose it is. */
  placed_by: string | null;
  contacts: ContactCard[];
  place: Place | null;
  occurred_at: string;
  claimed_at: string | null;
  received_at: string;
  created_at: Date;
}

/** Each item once and oldest first, so that a batch is taken in as if each message had come alone and in time. */
export function inOrder(events: readonly EventOf<'provider.message.received'>[]): Heard[] {
  const items = new Map(events.map((cause) => [cause.data.item_id, { ...cause.data, cause }]));
  const at = ({ occurred_at }: Heard) => Date.parse(occurred_at);
  return [...items.values()].sort((one, other) => at(one) - at(other));
}

/** Somebody else probably wrote in their name: it is never placed, teaches nothing and decides nothing by itself. */
export const isForged = ({ sender_verified }: Pick<ProviderMessage, 'sender_verified'>): boolean =>
  sender_verified === 'fail';

export const senderOf = (message: ProviderMessage): Sender => ({
  identifiers: identifiersOf(message.sender),
  becomes: message.new_identity === null ? [] : identifiersOf({ ...message.new_identity, email: null }),
  isForged: isForged(message),
});

/** What is taken in one after the other: all of one sender, and a message with whatever speaks of it. */
export function locksOf(message: ProviderMessage): string[] {
  const { identifiers, becomes } = senderOf(message);
  const named = [message.external_id, message.target_external_id ?? [], answeredIds(message)].flat();
  const sender = `sender:${message.channel}:${message.sender_key}`;
  return [sender, ...[...identifiers, ...becomes].map(keyOf), ...named.map((id) => messageKey(message.channel, id))];
}

/** The item's own id is the record's, so that an item told of twice is logged once; unless there is a record of it already. */
export const recordOf = (
  message: ProviderMessage,
  placement: Placement,
  folded: Folded,
  now: Date,
  id = message.item_id,
): InboundRecord => ({
  id,
  customer_id: placement.customer === null ? null : placement.under,
  type: message.channel,
  ...courseOf(message),
  imported: message.imported,
  forwarded: message.forwarded,
  group_id: message.group === null ? null : storable(message.group),
  subject: message.subject === null ? null : storable(message.subject),
  body: storable(folded.visible),
  quoted: folded.quoted === null ? null : storable(folded.quoted),
  provider: message.provider,
  provider_message_id: message.external_id,
  automatic: message.automatic,
  recipient: textOf(message.recipient),
  reply_to: textOf(message.reply_to),
  sender_verified: message.sender_verified ?? null,
  sender: keptSender(message),
  placed_by: placement.link,
  contacts: message.contacts.map(keptCard),
  place: keptPlace(message.place),
  occurred_at: message.occurred_at,
  claimed_at: message.claimed_at,
  received_at: message.received_at,
  created_at: now,
});

/** What a machine wrote to us is no customer's message that waits to be read; what staff wrote on the phone has left. */
const courseOf = ({ direction, automatic }: ProviderMessage) =>
  direction === 'INBOUND'
    ? ({ direction, status: 'RECEIVED', unread: !automatic, attempt: null, phone_app: false } as const)
    : ({ direction, status: 'SENT', unread: false, attempt: 1, phone_app: true } as const);

/** A message under a name that a record has already. */
export interface Repeat {
  message: Heard;
  record: string;
}

/** A record under the name of a message. */
export interface Known {
  id: string;
  imported: boolean;
  direction: ProviderMessage['direction'];
}

/** Of messages of the app the provider may tell by more than one way, and of those we sent ourselves as well. */
export const mayBeKnown = ({ kind, channel }: ProviderMessage): boolean =>
  kind === 'message' && channel === 'MESSAGING_APP';

/** Two that came by themselves were told apart by whoever took them in: that one has another's name makes it no repeat. */
const isRepeat = ({ imported, direction }: ProviderMessage): boolean => imported || direction === 'OUTBOUND';

/** What came by itself is more than what the history says of the same message, in whatever order they come. */
const takesPlaceOf = (message: ProviderMessage, known: Known): boolean =>
  known.imported && !message.imported && known.direction === message.direction;

const nameOf = ({ channel, external_id }: ProviderMessage): string => messageKey(channel, external_id);

/**
 * `known`: records by their names. `fresh`: what is to be logged, in the order given; `placeOf`: under which record, where
 * one of the history stands for it until now.
 */
export function withoutRepeats(heard: readonly Heard[], known: ReadonlyMap<string, Known>) {
  const names = new Map(known);
  const repeats: Repeat[] = [];
  const placeOf = new Map<string, string>();
  for (const message of heard.toSorted((one, other) => Number(one.imported) - Number(other.imported))) {
    const { item_id, imported, direction } = message;
    const found = mayBeKnown(message) ? names.get(nameOf(message)) : undefined;
    const takesPlace = found !== undefined && takesPlaceOf(message, found);
    if (found && !takesPlace && isRepeat(message)) {
      repeats.push({ message, record: found.id });
      continue;
    }
    if (takesPlace) placeOf.set(item_id, found.id);
    names.set(nameOf(message), { id: placeOf.get(item_id) ?? item_id, imported, direction });
  }
  const repeated = new Set(repeats.map(({ message }) => message));
  return { fresh: heard.filter((message) => !repeated.has(message)), repeats, placeOf };
}

function keptSender({ sender, sender_key }: ProviderMessage): KeptSender {
  const { phone, email, user_id, name, username } = sender;
  return {
    key: storable(sender_key),
    address: storable(sender.address),
    name: textOf(name),
    phone: textOf(phone),
    email: textOf(email),
    user_id: textOf(user_id),
    username: textOf(username),
  };
}

const keptCard = ({ name, organisation, phones, emails, addresses, websites, birthday }: ContactCard): ContactCard => ({
  name: textOf(name),
  organisation: textOf(organisation),
  phones: phones.map(storable),
  emails: emails.map(storable),
  addresses: addresses.map(storable),
  websites: websites.map(storable),
  birthday: textOf(birthday),
});

const keptPlace = (place: Place | null): Place | null =>
  place && { ...place, name: textOf(place.name), address: textOf(place.address) };

const textOf = (value: string | null | undefined) => (value == null ? null : storable(value));

export interface Folded {
  visible: string;
  quoted: string | null;
}

/** No more of the mails that one answers are looked at: the list of a long thread is as long as the thread. */
const MOST_ANSWERED = 20;
export const answeredIds = ({ answers }: ProviderMessage) => [...new Set(answers.external_ids)].slice(0, MOST_ANSWERED);

export function answersOf(message: ProviderMessage, communication_id = message.item_id): Answer[] {
  const record = recordOfToken(message.answers.token);
  const rows = answeredIds(message).map((external_id) => ({ external_id, record_id: null as string | null }));
  const all = record === null ? rows : [...rows, { external_id: null, record_id: record }];
  return all.map((row, position) => ({ ...row, communication_id, position }));
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

/** The files of a message, to be fetched later from whoever holds them: a message is never held up by its files. */
export const filesOf = (message: ProviderMessage, record = message.item_id): FileToFetch[] =>
  message.parts.map(({ name, media_type, ...part }, position) => ({
    ...part,
    communication_id: record,
    position,
    name: name === null ? null : storable(name),
    media_type: storable(media_type),
    provider: message.provider,
  }));

export function changesOf(message: ProviderMessage): MessageChange[] {
  const { kind, target_external_id, direction } = message;
  if (kind === 'message' || kind === 'identity' || kind === 'preference' || target_external_id === null) return [];
  const content = { reaction: message.emoji || null, edit: message.body, withdrawal: null }[kind];
  return [
    {
      id: message.item_id,
      type: message.channel,
      target_external_id,
      kind,
      at: message.occurred_at,
      direction,
      sender: storable(direction === 'INBOUND' ? message.sender.address : message.account),
      content: content === null ? null : storable(content),
    },
  ];
}

/** What the provider tells without a message. A complaint about a mail names the mail: anybody may write one. */
export function preferenceOf(message: ProviderMessage, complained: string | null): OptOutRow[] {
  const { item_id: id, kind, channel, sender, opted_out, occurred_at: decided_at } = message;
  const identifiers = identifiersOf(sender);
  if (kind !== 'preference' || opted_out === null || identifiers.length === 0) return [];
  if (channel === 'EMAIL' && complained === null) return [];
  const source = channel === 'EMAIL' ? 'complaint' : 'provider';
  const about = { communication_id: complained, customer_id: null };
  return rowsOf({ id, channel, opted_out, source, decided_at, ...about }, identifiers);
}
