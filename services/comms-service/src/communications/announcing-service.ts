import type { NewEvent } from '@ops/bus/outbox';
import type { EventData } from '@ops/contracts/events';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { addresseeOf } from '../addressing/addressing-service.ts';
import { getCustomer } from '../customers/customer-service.ts';
import type { Deps } from '../deps.ts';
import {
  communicationChanged,
  communicationQueued,
  isOutgoing,
  manyMarked,
  type Outgoing,
  type ToldRecord,
} from '../records/communication-events.ts';
import { threadOf } from './thread.rules.ts';
import { answeredIds } from './thread-store.ts';

/** What the rest of the system hears of a new record that we wrote. */
export const announceNew = (deps: Deps, trx: Trx, record: Communication, now: Date): Promise<void> =>
  announceOurs(deps, trx, record, communicationChanged(record, 'created', record.created_at), now);

/** What the rest of the system hears of a record that staff have sent again. */
export const announceQueuedAgain = (deps: Deps, trx: Trx, record: Communication, now: Date): Promise<void> =>
  announceOurs(deps, trx, record, communicationChanged(record, 'status', now.toISOString()), now);

async function announceOurs(
  { outbox }: Deps,
  trx: Trx,
  record: Communication,
  changed: EventData<'communication.changed'>,
  now: Date,
): Promise<void> {
  const queued = isOutgoing(record) ? [await queuedNow(trx, record, now)] : [];
  await outbox.addMany(trx, [...queued, { type: 'communication.changed', data: changed }]);
}

async function queuedNow(trx: Trx, record: Outgoing, now: Date): Promise<NewEvent> {
  const customer = await getCustomer(trx, record.customer_id);
  const addressee = await addresseeOf(trx, record, customer, now);
  const answered = record.in_reply_to === null ? [] : await answeredIds(trx, record.in_reply_to);
  const data = communicationQueued(record, customer, addressee, threadOf(record.type, answered));
  return { type: 'communication.queued', data };
}

/** Whoever a note names hears of it, and never its words. */
export async function announceMentions({ outbox }: Deps, trx: Trx, record: Communication): Promise<void> {
  const { id: communication_id, customer_id, mentions: agents, author, created_at: occurred_at } = record;
  if (author === null || agents.length === 0) return;
  const data = { customer_id, occurred_at, communication_id, mentioned_by: author, agents };
  await outbox.add(trx, { type: 'note.mentioned', data });
}

/** Says nothing when nothing changed. */
export async function announceMarked(
  { outbox, now }: Deps,
  trx: Trx,
  change: 'read' | 'unread',
  customerId: string,
  marked: ToldRecord[],
) {
  const [first, ...others] = marked;
  if (!first) return;
  const at = now().toISOString();
  const data = others.length === 0 ? communicationChanged(first, change, at) : manyMarked(change, customerId, at);
  await outbox.add(trx, { type: 'communication.changed', data });
}
