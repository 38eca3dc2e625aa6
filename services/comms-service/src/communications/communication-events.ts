import type { EventData } from '@ops/contracts/events';
import { type Communication, isInternal } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';

type Received = EventData<'COMMUNICATION_RECEIVED'>;
type Queued = EventData<'communication.queued'>;
type Changed = EventData<'communication.changed'>;

type Outgoing = Communication & { type: Queued['type'] };

/** A note or call log is kept from every sender here, whatever direction it claims. */
export const isOutgoing = (record: Communication): record is Outgoing =>
  record.direction === 'OUTBOUND' && !isInternal(record.type);

export const communicationReceived = (record: Communication): Received => ({
  customer_id: record.customer_id,
  occurred_at: record.occurred_at,
  communication_id: record.id,
  type: record.type,
  renewal_id: record.renewal_id,
});

/** All a sender needs to know of the record and its customer. */
export const communicationQueued = (record: Outgoing, customer: Customer, windowUntil: string | null): Queued => ({
  customer_id: record.customer_id,
  communication_id: record.id,
  type: record.type,
  to: recipient(record.type, customer),
  subject: record.subject,
  body: record.body,
  in_reply_to: record.in_reply_to,
  renewal_id: record.renewal_id,
  send_after: record.send_after,
  window_open_until: windowUntil,
  opted_out: false,
  do_not_contact: customer.do_not_contact,
});

/** Where an outbound record goes: the customer's first address of that kind, or nowhere. */
const recipient = (type: Queued['type'], customer: Customer): string | null =>
  (type === 'EMAIL' ? customer.emails[0] : customer.phones[0]) ?? null;

const WINDOW_MS = 24 * 60 * 60 * 1000;

/** The messaging app takes free text for 24 hours after the customer's newest message. */
export function windowOpenUntil(newestInbound: string | null, now: Date): string | null {
  if (newestInbound === null) return null;
  const end = new Date(Date.parse(newestInbound) + WINDOW_MS);
  return end > now ? end.toISOString() : null;
}

export type ToldRecord = Pick<Communication, 'id' | 'customer_id' | 'type' | 'direction' | 'status' | 'renewal_id'>;

/** What live screens and other services hear of a change; never the words. */
export const communicationChanged = (record: ToldRecord, change: Changed['change'], at: string): Changed => ({
  customer_id: record.customer_id,
  occurred_at: at,
  change,
  communication_id: record.id,
  type: record.type,
  direction: record.direction,
  status: record.status,
  renewal_id: record.renewal_id,
});

export const manyRead = (customerId: string, at: string): Changed => ({
  customer_id: customerId,
  occurred_at: at,
  change: 'read',
  communication_id: null,
  type: null,
  direction: null,
  status: null,
  renewal_id: null,
});
