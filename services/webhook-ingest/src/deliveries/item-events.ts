import type { NewEvent } from '@ops/bus/outbox';
import { events, type InboundProvider } from '@ops/contracts/events';
import {
  type Item,
  type MessageData,
  ofHistory,
  type Part,
  type Reading,
  type ReceiptData,
  unreadableMail,
} from '../providers/provider.ts';
import type { ItemVerdict } from './delivery.rules.ts';
import { cut, id, longestBody, printable, tidyMessage, tidyPart, tidyReceipt } from './tidy.rules.ts';

/** An item as it is kept: its key, what was made of it, and the event that tells of it. */
export interface KeptItem extends ItemVerdict {
  id: string;
  provider: string;
  account: string;
  kind: string;
  external_id: string;
  /** What tells it from others of that id: a receipt's status, which of a mail's readings, or that it was not understood. */
  variant: string;
  event: NewEvent | null;
  /** Ids of the parts it speaks of. */
  parts: string[];
}

/** Which delivery the items are of. */
export interface ReadFrom {
  id: string;
  provider: InboundProvider;
  receivedAt: Date;
}

export interface KeptReading {
  items: KeptItem[];
  parts: Part[];
}

/** Far below what the outbox takes. */
const mostEventBytes = 500 * 1024;

export function keepItems(reading: Reading, from: ReadFrom, newId: () => string): KeptReading {
  const parts = reading.parts.map(tidyPart);
  const items = reading.items.map((item) => keepItem(item, from, newId, parts));
  return { items, parts };
}

type Keyed = Pick<KeptItem, 'kind' | 'variant'>;
const isMail = ({ kind, variant }: Keyed) => kind === 'message' && variant !== '' && !variant.startsWith(ofHistory);

/**
 * What of a delivery that is read again may be new. A mail is one thing, though a reader that has learned something finds
 * other words in it, and so another key.
 */
export function notYetTaken(items: readonly KeptItem[], known: readonly Keyed[]): KeptItem[] {
  const readBefore = known.some((item) => isMail(item) && !item.variant.startsWith(unreadableMail));
  return readBefore ? items.filter((item) => !isMail(item)) : [...items];
}

function keepItem(item: Item, from: ReadFrom, newId: () => string, parts: Part[]): KeptItem {
  if ('notUnderstood' in item) return notUnderstood(newId(), from, item.kind, item.external_id, item.notUnderstood);
  if ('receipt' in item) return keepReceipt(newId(), tidyReceipt(item.receipt), from);
  return keepMessage(newId(), inlined(tidyMessage(item.message), newId, parts), item.variant ?? '', from);
}

/** The whole of a text too long for the bus is a part; its head goes along. */
function inlined(message: MessageData, newId: () => string, parts: Part[]): MessageData {
  if (message.body.length <= longestBody) return message;
  const bytes = Buffer.from(message.body);
  const part = { role: 'original', name: 'message.txt', mediaType: 'text/plain', contentId: null } as const;
  const ref = newId();
  parts.push({ ...part, id: ref, bytes });
  const told = { source: 'ingest', ref, size: bytes.length, media_type: part.mediaType, content_id: null } as const;
  return {
    ...message,
    body: cut(message.body, longestBody),
    parts: [...message.parts, { ...told, role: part.role, name: part.name }],
  };
}

function keepMessage(itemId: string, message: MessageData, variant: string, from: ReadFrom): KeptItem {
  const { provider, account, kind, external_id } = message;
  const parts = message.parts.filter(({ source }) => source === 'ingest').map(({ ref }) => ref);
  return orSetAside(from, {
    id: itemId,
    provider,
    account,
    kind,
    external_id,
    variant,
    outcome: 'published',
    reason: null,
    parts,
    event: { type: 'provider.message.received', data: { ...message, ...keptAs(itemId, from) } },
  });
}

function keepReceipt(itemId: string, receipt: ReceiptData, from: ReadFrom): KeptItem {
  const { provider, account, external_id, status } = receipt;
  return orSetAside(from, {
    id: itemId,
    provider,
    account,
    kind: 'receipt',
    external_id,
    variant: status,
    outcome: 'published',
    reason: null,
    parts: [],
    event: { type: 'provider.receipt.received', data: { ...receipt, ...keptAs(itemId, from) } },
  });
}

const keptAs = (itemId: string, { id: deliveryId, receivedAt }: ReadFrom) => ({
  delivery_id: deliveryId,
  item_id: itemId,
  received_at: receivedAt.toISOString(),
});

/** What the bus would refuse must not fail the whole delivery. */
function orSetAside(from: ReadFrom, item: KeptItem & { event: NewEvent }): KeptItem {
  const problem = unfit(item.event);
  return problem === undefined ? item : notUnderstood(item.id, from, item.kind, item.external_id, problem);
}

function unfit({ type, data }: NewEvent): string | undefined {
  const parsed = events[type].data.safeParse(data);
  if (!parsed.success) return `It does not fit: ${parsed.error.issues[0]?.path.join('.')}`;
  return Buffer.byteLength(JSON.stringify(data)) > mostEventBytes ? 'It is too large' : undefined;
}

/** The variant keeps its key apart from that of the same item once it is understood. */
const notUnderstood = (itemId: string, from: ReadFrom, kind: string, externalId: string, reason: string): KeptItem => ({
  id: itemId,
  provider: from.provider,
  account: '',
  kind: cut(printable(kind), 100),
  external_id: id(externalId),
  variant: 'NOT_UNDERSTOOD',
  outcome: 'not_understood',
  reason: cut(printable(reason), 500),
  event: null,
  parts: [],
});
