import type { EventData } from '@ops/contracts/events';
import { type Communication, isInternal } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';

type Received = EventData<'COMMUNICATION_RECEIVED'>;
type Queued = EventData<'communication.queued'>;
type Changed = EventData<'communication.changed'>;

export type Outgoing = Communication & { type: Queued['type'] };

/** A note or call log is kept from every sender here, whatever direction it claims. */
export const isOutgoing = (record: Communication): record is Outgoing =>
  record.direction === 'OUTBOUND' && !isInternal(record.type);

type ReceivedRecord = Pick<Communication, 'id' | 'customer_id' | 'occurred_at' | 'type' | 'renewal_id'>;

export const communicationReceived = (record: ReceivedRecord): Received => ({
  customer_id: record.customer_id,
  occurred_at: record.occurred_at,
  communication_id: record.id,
  type: record.type,
  renewal_id: record.renewal_id,
});

/** All a sender needs to know of the record and its customer; files it pulls. */
export const communicationQueued = (
  record: Outgoing,
  customer: Customer,
  addressee: Pick<Queued, 'to' | 'user_id' | 'window_open_until'>,
  thread: Queued['thread'],
): Queued => ({
  customer_id: record.customer_id,
  communication_id: record.id,
  attempt: record.attempt ?? 1,
  type: record.type,
  to: addressee.to,
  user_id: addressee.user_id,
  subject: record.subject,
  body: record.body,
  attachments: record.attachments.map(sent),
  thread,
  locale: customer.locale,
  automated: record.automated,
  in_reply_to: record.in_reply_to,
  renewal_id: record.renewal_id,
  send_after: record.send_after,
  window_open_until: addressee.window_open_until,
  template: record.template,
  opted_out: customer.opted_out.includes(record.type),
  do_not_contact: customer.do_not_contact,
});

const sent = ({ id, name, media_type, size }: Communication['attachments'][number]) => ({
  id,
  media_type,
  name: name ?? 'file',
  size: size ?? 0,
});

export const WINDOW_MS = 24 * 60 * 60 * 1000;

/** The messaging app takes free text for 24 hours after the newest message of the same person. */
export function windowOpenUntil(newestInbound: string | null, now: Date): string | null {
  if (newestInbound === null) return null;
  const end = new Date(Date.parse(newestInbound) + WINDOW_MS);
  return end > now ? end.toISOString() : null;
}

export type ToldRecord = Pick<
  Communication,
  | 'id'
  | 'customer_id'
  | 'type'
  | 'direction'
  | 'status'
  | 'renewal_id'
  | 'renewal_ids'
  | 'in_reply_to'
  | 'automatic'
  | 'occurred_at'
>;

/** No customer: an inbound message nobody could place yet. */
export type AnybodysRecord = Omit<ToldRecord, 'customer_id'> & { customer_id: string | null };

/** What live screens and other services hear of a change; never the words. */
export const communicationChanged = (record: AnybodysRecord, change: Changed['change'], at: string): Changed => ({
  customer_id: record.customer_id,
  occurred_at: at,
  change,
  communication_id: record.id,
  type: record.type,
  direction: record.direction,
  status: record.status,
  renewal_id: record.renewal_id,
  renewal_ids: record.renewal_ids,
  in_reply_to: record.in_reply_to,
  written_at: record.occurred_at,
  automatic: record.automatic,
});

export const manyMarked = (change: 'read' | 'unread', customerId: string, at: string): Changed => ({
  customer_id: customerId,
  occurred_at: at,
  change,
  communication_id: null,
  type: null,
  direction: null,
  status: null,
  renewal_id: null,
  renewal_ids: [],
  in_reply_to: null,
  written_at: null,
  automatic: false,
});
