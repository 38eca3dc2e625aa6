import { currentTrace, traceOf } from '@ops/bus/trace';
import type { Envelope } from '@ops/contracts/envelope';
import { type EventData, events } from '@ops/contracts/events';
import type { Failure, OutsideType } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps, SendingDeps } from '../deps.ts';
import type { OutboundProvider } from '../senders/sender.ts';
import { cancelled } from './attempt.rules.ts';
import { type Delivery, deliveryUpdated, hear, isNews, type News } from './delivery.rules.ts';
import * as store from './delivery-store.ts';

export const providerOf: Record<OutsideType, OutboundProvider> = {
  MESSAGING_APP: 'cloud-api',
  EMAIL: 'smtp',
  SMS: 'twilio',
};

const queuedData = events['communication.queued'].data;

/** A type that never leaves fails here already: the event's schema has no such type. */
export async function queueDeliveries(deps: SendingDeps, trx: Trx, queued: readonly Envelope[]): Promise<void> {
  const now = deps.now();
  const told = queued.map((event) => ({ event, data: queuedData.parse(event.data) }));
  const automated = told.filter(({ data }) => data.automated).map(({ data }) => data.communication_id);
  const guarded = await deps.guard.queued(trx, automated);
  await store.insertDeliveries(
    trx,
    told.map(({ event, data }) => newDelivery(deps, event, data, guarded.has(data.communication_id), now)),
  );
  const causes = new Map(told.map(({ event, data }) => [data.communication_id, event]));
  await stopDeliveries(deps, trx, new Map([...guarded].filter(isStopped)), causes);
}

const isStopped = (one: [id: string, reason: Failure | null]): one is [string, Failure] => one[1] !== null;

/**
 * What has not left yet of these messages does not leave. Answers those of which nothing ever did. `causes`: what each follows
 * from, where several are handled together.
 */
export async function stopDeliveries(
  deps: Deps,
  trx: Trx,
  reasons: ReadonlyMap<string, Failure>,
  causes?: ReadonlyMap<string, Envelope>,
): Promise<ReadonlySet<string>> {
  const neverLeft = new Set(reasons.keys());
  if (neverLeft.size === 0) return neverLeft;
  for (const delivery of await store.lockDeliveriesOf(trx, [...reasons.keys()])) {
    const { communication_id, status, on_wire } = delivery;
    if (on_wire || !(status === 'QUEUED' || status === 'CANCELLED')) neverLeft.delete(communication_id);
    if (status !== 'QUEUED') continue;
    const stopIt = () => stop(deps, trx, delivery, reasons.get(communication_id) as Failure);
    const cause = causes?.get(communication_id);
    await (cause ? currentTrace.run(traceOf(cause), stopIt) : stopIt());
  }
  return neverLeft;
}

/** What is on the wire at this moment may arrive; it only is not tried again. */
async function stop(deps: Deps, trx: Trx, delivery: store.Stoppable, reason: Failure): Promise<void> {
  if (delivery.on_wire) return store.stopRetrying(trx, delivery.id, reason);
  await recordNews(deps, trx, delivery, [cancelled(deps.now(), reason)]);
  await store.release(trx, [delivery.id]);
}

/** The hours of a guarded one begin with its first try: nothing says it again, and what became pointless is stopped anyway. */
function newDelivery(
  deps: Deps,
  event: Envelope,
  data: EventData<'communication.queued'>,
  isGuarded: boolean,
  now: Date,
): store.NewDelivery {
  const { customer_id, communication_id, attempt, type, send_after } = data;
  const { to, user_id, subject, body, attachments, thread, locale, window_open_until, template, automated } = data;
  const due = send_after === null ? now : new Date(send_after);
  return {
    id: uuidv7(),
    customer_id,
    communication_id,
    attempt,
    type,
    provider: providerOf[type],
    message: { to, user_id, subject, body, attachments, thread, locale, window_open_until, template, automated },
    trace: traceOf(event),
    due_at: due,
    next_try_at: due,
    expires_at: isGuarded ? null : new Date(Math.max(due.getTime(), now.getTime()) + deps.expiresAfterMs),
    created_at: now,
  };
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
