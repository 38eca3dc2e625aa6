import {
  type Communication,
  type CommunicationListQuery,
  type CommunicationType,
  type CreateCommunication,
  isInternal,
} from '@ops/contracts/resources/communication';
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
