import { traceOf } from '@ops/bus/trace';
import type { Envelope } from '@ops/contracts/envelope';
import { type EventData, events } from '@ops/contracts/events';
import type { OutsideType } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import type { OutboundProvider } from '../senders/sender.ts';
import { type Delivery, deliveryUpdated, hear, isNews, type News } from './delivery.ts';
import * as store from './delivery-store.ts';

export const providerOf: Record<OutsideType, OutboundProvider> = {
  MESSAGING_APP: 'cloud-api',
  EMAIL: 'smtp',
  SMS: 'twilio',
};

const queuedData = events['communication.queued'].data;

/** A type that never leaves fails here already: the event's schema has no such type. */
export async function queueDeliveries(deps: Deps, trx: Trx, queued: readonly Envelope[]): Promise<void> {
  const now = deps.now();
  const deliveries = queued.map((event) => newDelivery(deps, event, queuedData.parse(event.data), now));
  await store.insertDeliveries(trx, deliveries);
}

function newDelivery(deps: Deps, event: Envelope, data: EventData<'communication.queued'>, now: Date) {
  const { customer_id, communication_id, attempt, type, send_after } = data;
  const { to, user_id, subject, body, attachments, thread, locale, window_open_until, automated } = data;
  const due = send_after === null ? now : new Date(send_after);
  return {
    id: uuidv7(),
    ...{ customer_id, communication_id, attempt, type },
    provider: providerOf[type],
    message: { to, user_id, subject, body, attachments, thread, locale, window_open_until, automated },
    trace: traceOf(event),
    due_at: due,
    next_try_at: due,
    expires_at: new Date(Math.max(due.getTime(), now.getTime()) + deps.expiresAfterMs),
    created_at: now,
  } satisfies store.NewDelivery;
}

/** Everything heard of a delivery ends here, whoever heard it; others are told in the same transaction. */
export async function recordNews(
  { outbox }: Deps,
  trx: Trx,
  delivery: Delivery,
  heard: readonly News[],
): Promise<Delivery> {
  let known = delivery;
  const told: EventData<'delivery.updated'>[] = [];
  for (const news of heard) {
    const fresh = isNews(known, news);
    known = hear(known, news);
    if (fresh) told.push(deliveryUpdated(known, news));
  }
  await store.saveHeard(trx, known);
  await outbox.addMany(
    trx,
    told.map((data) => ({ type: 'delivery.updated', data })),
  );
  return known;
}
