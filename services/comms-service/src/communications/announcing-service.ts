import type { NewEvent } from '@ops/bus/outbox';
import type { Trace } from '@ops/bus/trace';
import type { EventData } from '@ops/contracts/events';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { addresseesOf } from '../addressing/addressing-service.ts';
import { getCustomers } from '../customers/customer-service.ts';
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

export interface Ours {
  record: Communication;
  /** The one it is told in, where several are handled together. */
  trace?: Trace | undefined;
}

/** What the rest of the system hears of new records that we wrote. */
export const announceNew = (deps: Deps, trx: Trx, ours: readonly Ours[], now: Date): Promise<void> =>
  announceOurs(deps, trx, ours, now, (record) => communicationChanged(record, 'created', record.created_at));

/** What the rest of the system hears of a record that staff have sent again. */
export const announceQueuedAgain = (deps: Deps, trx: Trx, record: Communication, now: Date): Promise<void> =>
  announceOurs(deps, trx, [{ record }], now, () => communicationChanged(record, 'status', now.toISOString()));

async function announceOurs(
  { outbox }: Deps,
  trx: Trx,
  ours: readonly Ours[],
  now: Date,
  changed: (record: Communication) => EventData<'communication.changed'>,
): Promise<void> {
  const outgoing = ours.map(({ record }) => record).filter(isOutgoing);
  const queued = await queuedNow(trx, outgoing, now);
  const news = ours.flatMap(({ record, trace }): NewEvent[] => {
    const data = queued.get(record.id);
    const told: NewEvent = { type: 'communication.changed', data: changed(record), trace };
    return data ? [{ type: 'communication.queued', data, trace }, told] : [told];
  });
  await outbox.addMany(trx, news);
}

async function queuedNow(trx: Trx, outgoing: readonly Outgoing[], now: Date) {
  const customers = await getCustomers(
    trx,
    outgoing.map(({ customer_id }) => customer_id),
  );
  const addressees = await addresseesOf(trx, outgoing, customers, now);
  const queued = new Map<string, EventData<'communication.queued'>>();
  for (const record of outgoing) {
    const customer = customers.get(record.customer_id);
    const addressee = addressees.get(record.id);
    if (!customer || !addressee) throw new Error(`${record.id} is to nobody`);
    const answered = record.in_reply_to === null ? [] : await answeredIds(trx, record.in_reply_to);
    const thread = threadOf(record.type, answered);
    queued.set(record.id, communicationQueued(record, customer, addressee, thread));
  }
  return queued;
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
