import type { Communication, CommunicationType } from '@ops/contracts/resources/communication';

/** A record about to be logged; the columns have the same names. */
export interface NewRecord {
  id: string;
  customer_id: string;
  type: CommunicationType;
  direction: Communication['direction'];
  subject: string | null;
  body: string;
  /** Agents whom a note names. */
  mentions: readonly string[];
  in_reply_to: string | null;
  /** What it is about, the most urgent first. */
  renewal_ids: readonly string[];
  unread: boolean;
  status: Communication['status'];
  attempt: number | null;
  automated: boolean;
  template: Communication['template'];
  author: string | null;
  created_by: string;
  send_after: string | null;
  send_after_reason: Communication['send_after_reason'];
  occurred_at: Date;
  received_at: Date | null;
  created_at: Date;
}

/** A record as it is kept: nobody's while its sender is unknown. */
export type HeldRecord = Omit<Communication, 'customer_id'> & { customer_id: string | null };

/** Whether it is known whose record it is. */
export const isPlaced = (record: HeldRecord): record is Communication => record.customer_id !== null;
