import type { NewEvent } from '@ops/bus/outbox';
import type { Envelope } from '@ops/contracts/envelope';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { getCustomer } from '../customers/customer-service.ts';
import type { Deps } from '../deps.ts';
import { writeTimeline } from '../timeline/timeline-service.ts';
import { addresseeOf } from './addressing.ts';
import {
  type AnybodysRecord,
  communicationChanged,
  communicationQueued,
  communicationReceived,
  isOutgoing,
  manyRead,
  type Outgoing,
  type ToldRecord,
} from './communication-events.ts';
import { threadOf } from './thread.ts';
import { answeredIds } from './thread-store.ts';

/** What the rest of the system hears of a new record; the timeline line of an inbound one bears its event's id. */
export async function announceNew({ outbox }: Deps, trx: Trx, record: Communication, now: Date) {
  const changed = communicationChanged(record, 'created', record.occurred_at);
  const news = await newsOf(trx, record, now);
  const events = await outbox.addMany(trx, [...news, { type: 'communication.changed', data: changed }]);
  const received = events.filter((event) => event.type === 'COMMUNICATION_RECEIVED');
  if (received.length > 0) await writeTimeline(trx, received);
}

async function newsOf(trx: Trx, record: Communication, now: Date): Promise<NewEvent[]> {
  if (record.direction === 'INBOUND') return [{ type: 'COMMUNICATION_RECEIVED', data: communicationReceived(record) }];
  return isOutgoing(record) ? [await queuedNow(trx, record, now)] : [];
}

async function queuedNow(trx: Trx, record: Outgoing, now: Date): Promise<NewEvent> {
  const customer = await getCustomer(trx, record.customer_id);
  const addressee = await addresseeOf(trx, record, customer, now);
  const answered = record.in_reply_to === null ? [] : await answeredIds(trx, record.in_reply_to);
  const data = communicationQueued(record, customer, addressee, threadOf(record.type, answered));
  return { type: 'communication.queued', data };
}

/** It waits for delivery once more. */
export async function announceQueuedAgain({ outbox }: Deps, trx: Trx, record: Communication, now: Date) {
  const changed = communicationChanged(record, 'status', now.toISOString());
  const news = await newsOf(trx, record, now);
  await outbox.addMany(trx, [...news, { type: 'communication.changed', data: changed }]);
}

type Change = 'moved' | 'struck' | 'status' | 'attachment' | 'amended' | 'unlinked';

/** The record as each customer concerned sees it: one, or the one it left and the one it came to. */
export async function announceChange(
  { outbox }: Deps,
  trx: Trx,
  change: Change,
  at: Date,
  seen: readonly AnybodysRecord[],
  /** What each follows from, by its id, where several were handled together. */
  causes?: ReadonlyMap<string, Envelope>,
) {
  await outbox.addMany(
    trx,
    seen.map((record) => ({
      type: 'communication.changed',
      data: communicationChanged(record, change, at.toISOString()),
      cause: causes?.get(record.id),
    })),
  );
}

/** Says nothing when nothing changed. */
export async function announceRead({ outbox, now }: Deps, trx: Trx, customerId: string, read: ToldRecord[]) {
  const [first, ...others] = read;
  if (!first) return;
  const at = now().toISOString();
  const data = others.length === 0 ? communicationChanged(first, 'read', at) : manyRead(customerId, at);
  await outbox.add(trx, { type: 'communication.changed', data });
}
