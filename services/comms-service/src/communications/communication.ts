import type { EventData } from '@ops/contracts/events';
import {
  type Communication,
  type CommunicationListQuery,
  type CommunicationType,
  type CreateCommunication,
  isInternal,
} from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import { type Actor, seesInternal } from '@ops/contracts/roles';

/** A record about to be logged; the columns have the same names. */
export interface NewRecord {
  id: string;
  customer_id: string;
  type: CommunicationType;
  direction: Communication['direction'];
  subject: string | null;
  body: string;
  unread: boolean;
  status: Communication['status'];
  author: string | null;
  created_by: string;
  occurred_at: Date;
  received_at: Date | null;
  created_at: Date;
}

const WINDOW_MS = 24 * 60 * 60 * 1000;

const firstStatus = { INBOUND: 'RECEIVED', OUTBOUND: 'QUEUED', INTERNAL: 'LOGGED' } as const;

/** Who may not read notes and calls does not write them either. */
export const mayWrite = (actor: Actor, type: CommunicationType): boolean => seesInternal(actor) || !isInternal(type);

/** An inbound record is the customer's own words: it has no author of ours, whoever entered it. */
export function newRecord(
  id: string,
  customerId: string,
  input: CreateCommunication,
  actor: Actor,
  now: Date,
): NewRecord {
  const inbound = input.direction === 'INBOUND';
  return {
    id,
    customer_id: customerId,
    type: input.type,
    direction: input.direction,
    subject: input.subject ?? null,
    body: input.body,
    unread: inbound,
    status: firstStatus[input.direction],
    author: inbound ? null : actor.sub,
    created_by: actor.sub,
    occurred_at: now,
    received_at: inbound ? now : null,
    created_at: now,
  };
}

/** Where an outbound record goes: the customer's first address of that kind, or nowhere. */
export const recipient = (type: CommunicationType, customer: Customer): string | null =>
  (type === 'EMAIL' ? customer.emails[0] : customer.phones[0]) ?? null;

/** The messaging app takes free text for 24 hours after the customer's newest message. */
export function windowOpenUntil(newestInbound: string | null, now: Date): string | null {
  if (newestInbound === null) return null;
  const end = new Date(Date.parse(newestInbound) + WINDOW_MS);
  return end > now ? end.toISOString() : null;
}

export type MoveDecision = 'same' | 'sent' | 'move';

/** What was sent to one customer's address cannot have been said to another. */
export function decideMove(record: Communication, target: string): MoveDecision {
  if (record.customer_id === target) return 'same';
  return record.direction === 'OUTBOUND' ? 'sent' : 'move';
}

/** Only what one of us wrote down wrongly is struck; what was said or sent stays as it was. */
export const mayStrike = (record: Communication): boolean => isInternal(record.type);

/** The type a tab shows; null for all of them. */
export const typeOfFilter = (filter: CommunicationListQuery['filter']): CommunicationType | null =>
  (({ all: null, messaging_app: 'MESSAGING_APP', email: 'EMAIL', notes: 'INTERNAL_NOTE' }) as const)[filter];

/** A customer reads what was said, not who of us wrote it nor how its delivery went wrong. */
export const shownTo = (actor: Actor, record: Communication): Communication =>
  actor.role === 'customer' ? { ...record, author: null, failure: null } : record;

type Changed = EventData<'communication.changed'>;

/** What live screens and other services hear of a change; never the words. */
export const communicationChanged = (record: Communication, change: Changed['change'], at: string): Changed => ({
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
