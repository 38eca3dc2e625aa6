import { type EventData, type EventOf, renewalsIn } from '@ops/contracts/events';

type Changed = EventData<'communication.changed'>;

/** What comms-service says of a message: which renewals it is about, if any, and what became of it. */
export interface MessageStatement
  extends Pick<Changed, 'renewal_ids' | 'type' | 'direction' | 'status' | 'in_reply_to' | 'automatic'> {
  communication_id: string;
  occurred_at: string;
  told_at: string;
  told_id: string;
}

/**
 * Undefined for what says nothing of a renewal. What takes a message away from one is kept, because what put it there
 * may be heard of later. What happens to a file of a message, or to its being unread, changes nothing shown here.
 */
export function messageStatement(event: EventOf<'communication.changed'>): MessageStatement | undefined {
  const told = event.data;
  const { communication_id, change, type, direction, status, in_reply_to, automatic, written_at } = told;
  if (communication_id === null || silent.includes(change)) return undefined;
  const renewal_ids = change === 'unlinked' ? [] : renewalsIn(told);
  if (renewal_ids.length === 0 && !takesAway(told)) return undefined;
  const occurred_at = written_at ?? told.occurred_at;
  const statement = { communication_id, renewal_ids, type, direction, status, in_reply_to, automatic, occurred_at };
  return { ...statement, told_at: event.time, told_id: event.id };
}

/** Of most messages nobody here keeps anything. */
export const saysOfRenewals = (event: EventOf<'communication.changed'>): boolean =>
  messageStatement(event) !== undefined;

/** A person's, or an answer of a machine: which it is may be said by a later statement. */
export const isFromCustomer = ({ direction }: MessageStatement): boolean => direction === 'INBOUND';

const silent: readonly Changed['change'][] = ['read', 'struck', 'attachment'];

/** `unlinked` tells of the message as it was before; `amended` may tell that it answers what is about no renewal. */
const takesAway = ({ change, in_reply_to }: Changed) =>
  change === 'unlinked' || change === 'moved' || (change === 'amended' && in_reply_to !== null);
