import { currentTrace, traceOf } from '@ops/bus/trace';
import type { Envelope } from '@ops/contracts/envelope';
import { type EventData, events } from '@ops/contracts/events';
import type { Failure, OutsideType } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { type Planned, plannedAmong } from '../planning/action-store.ts';
import { stopBecause } from '../planning/planning.ts';
import type { OutboundProvider } from '../senders/sender.ts';
import { cancelled } from './attempt.ts';
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
  const told = queued.map((event) => ({ event, data: queuedData.parse(event.data) }));
  const automated = told.filter(({ data }) => data.automated).map(({ data }) => data.communication_id);
  const planned = await plannedAmong(trx, automated);
  const alerts = new Set(planned.map(({ id }) => id));
  await store.insertDeliveries(
    trx,
    told.map(({ event, data }) => newDelivery(deps, event, data, alerts.has(data.communication_id), now)),
  );
  const causes = new Map(told.map(({ event, data }) => [data.communication_id, event]));
  await cancelStopped(deps, trx, stoppedAmong(planned), causes, now);
}

type Stopped = ReadonlyMap<string, Failure>;

/** Messages of alerts whose renewal was closed or moved before they came to be queued. */
const stoppedAmong = (planned: readonly Planned[]): Stopped =>
  new Map(
    planned.flatMap(({ id, outcome, reason, renewal, alerted_date }) => {
      const why = outcome === 'cancelled' ? reason : stopBecause(renewal, alerted_date);
      return why ? [[id, why] as const] : [];
    }),
  );

async function cancelStopped(
  deps: Deps,
  trx: Trx,
  stopped: Stopped,
  causes: ReadonlyMap<string, Envelope>,
  now: Date,
): Promise<void> {
  if (stopped.size === 0) return;
  for (const delivery of await store.lockDeliveriesOf(trx, [...stopped.keys()])) {
    const reason = stopped.get(delivery.communication_id);
    if (!reason || delivery.status !== 'QUEUED' || delivery.on_wire) continue;
    const trace = traceOf(causes.get(delivery.communication_id) as Envelope);
    await currentTrace.run(trace, recordNews, deps, trx, delivery, [cancelled(now, reason)]);
  }
}

/** The hours of an alert begin with its first try: nothing says it again, and what became pointless is stopped anyway. */
function newDelivery(
  deps: Deps,
  event: Envelope,
  data: EventData<'communication.queued'>,
  ofAlert: boolean,
  now: Date,
): store.NewDelivery {
  const { customer_id, communication_id, attempt, type, send_after } = data;
  const { to, user_id, subject, body, attachments, thread, locale, window_open_until, template, automated } = data;
  const due = send_after === null ? now : new Date(send_after);
  return {
    id: uuidv7(),
    ...{ customer_id, communication_id, attempt, type },
    provider: providerOf[type],
    message: { to, user_id, subject, body, attachments, thread, locale, window_open_until, template, automated },
    trace: traceOf(event),
    due_at: due,
    next_try_at: due,
    expires_at: ofAlert ? null : new Date(Math.max(due.getTime(), now.getTime()) + deps.expiresAfterMs),
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
