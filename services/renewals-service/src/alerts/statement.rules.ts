import type { Envelope } from '@ops/contracts/envelope';
import { type EventData, events } from '@ops/contracts/events';

type Changed = EventData<'communication.changed'>;

/** What comms-service says of a message: which renewal it is about, if any, and what became of it. */
export interface MessageStatement
  extends Pick<Changed, 'renewal_id' | 'type' | 'direction' | 'status' | 'in_reply_to'> {
  communication_id: string;
  occurred_at: string;
  told_at: string;
  told_id: string;
}

/**
 * Undefined for what says nothing of a renewal. What takes a message away from one is kept, because what put it there
 * may be heard of later. What happens to a file of a message, or to its being unread, changes nothing shown here.
 */
export function messageStatement({ data, time, id }: Envelope): MessageStatement | undefined {
  const told = events['communication.changed'].data.parse(data);
  const { communication_id, change, type, direction, status, in_reply_to, written_at } = told;
  if (communication_id === null || silent.includes(change)) return undefined;
  const renewal_id = change === 'unlinked' ? null : told.renewal_id;
  if (renewal_id === null && !takesAway(told)) return undefined;
  const occurred_at = written_at ?? told.occurred_at;
  const statement = { communication_id, renewal_id, type, direction, status, in_reply_to, occurred_at };
  return { ...statement, told_at: time, told_id: id };
}

const silent: readonly Changed['change'][] = ['read', 'struck', 'attachment'];

/** `unlinked` tells of the message as it was before; `amended` may tell that it answers what is about no renewal. */
const takesAway = ({ change, in_reply_to }: Changed) =>
  change === 'unlinked' || change === 'moved' || (change === 'amended' && in_reply_to !== null);
