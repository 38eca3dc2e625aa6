import { type EventData, type EventOf, renewalsIn, saysOfRenewals } from '@ops/contracts/events';

type Changed = EventData<'communication.changed'>;

/** What comms-service says of a message: which renewals it is about, if any, and what became of it. */
export interface MessageStatement
  extends Pick<Changed, 'renewal_ids' | 'type' | 'direction' | 'status' | 'in_reply_to' | 'automatic'> {
  communication_id: string;
  occurred_at: string;
  told_at: string;
  told_id: string;
}

/** Undefined for what says nothing of a renewal. */
export function messageStatement(event: EventOf<'communication.changed'>): MessageStatement | undefined {
  const told = event.data;
  const { communication_id, change, type, direction, status, in_reply_to, automatic, written_at } = told;
  if (communication_id === null || !saysOfRenewals(told)) return undefined;
  const renewal_ids = change === 'unlinked' ? [] : renewalsIn(told);
  const occurred_at = written_at ?? told.occurred_at;
  const statement = { communication_id, renewal_ids, type, direction, status, in_reply_to, automatic, occurred_at };
  return { ...statement, told_at: event.time, told_id: event.id };
}

/** A person's, or an answer of a machine: which it is may be said by a later statement. */
export const isFromCustomer = ({ direction }: MessageStatement): boolean => direction === 'INBOUND';
