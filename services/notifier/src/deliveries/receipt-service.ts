import { currentTrace, traceOf } from '@ops/bus/trace';
import type { Envelope } from '@ops/contracts/envelope';
import { events } from '@ops/contracts/events';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import type { Outcome } from '../senders/sender.ts';
import type { News } from './delivery.rules.ts';
import { recordNews } from './delivery-service.ts';
import { lockDelivery } from './delivery-store.ts';
import { inOrder, newsOf } from './receipt.rules.ts';
import * as store from './receipt-store.ts';

const receiptData = events['provider.receipt.received'].data;

/** Each is kept once. What no delivery answers to waits for the one whose send has not come back yet. */
export async function matchReceipts(deps: Deps, trx: Trx, received: readonly Envelope[]): Promise<void> {
  const receipts = received.map(receiptOf);
  await store.lockProviderIds(trx, receipts);
  const fresh = await store.insertReceipts(trx, receipts);
  const kept = receipts.filter(({ item_id }) => fresh.delete(item_id));
  const deliveryOf = await store.findDeliveries(trx, kept);
  await store.assign(trx, deliveryOf);
  const causes = new Map(receipts.map(({ item_id }, n) => [item_id, received[n] as Envelope]));
  for (const [id, heard] of byDelivery(kept, deliveryOf)) {
    const delivery = await lockDelivery(trx, id);
    const cause = causes.get(heard.at(-1)?.item_id ?? '') as Envelope;
    const news = inOrder(heard).map(newsOf);
    if (delivery) await currentTrace.run(traceOf(cause), recordNews, deps, trx, delivery, news);
  }
}

function receiptOf(event: Envelope): store.NewReceipt {
  const { item_id, provider, external_id, attempt_id, status, failure, occurred_at, received_at } = receiptData.parse(
    event.data,
  );
  return {
    item_id,
    provider,
    external_id,
    attempt_id,
    status,
    failure,
    occurred_at: new Date(occurred_at),
    received_at: new Date(received_at),
  };
}

/** In the order of ids, in which everybody locks them. */
function byDelivery(receipts: readonly store.Receipt[], deliveryOf: ReadonlyMap<string, string>) {
  const grouped = Map.groupBy(receipts, ({ item_id }) => deliveryOf.get(item_id) ?? '');
  grouped.delete('');
  return [...grouped].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** What was heard of a message before its own send came back, now that the provider's id of it is known. */
export async function takeEarlyReceipts(
  trx: Trx,
  { id, provider }: { id: string; provider: string },
  outcome: Outcome,
): Promise<News[]> {
  if (outcome.kind !== 'accepted' || outcome.providerMessageId === null) return [];
  const named = { provider, external_id: outcome.providerMessageId };
  await store.lockProviderIds(trx, [named]);
  return inOrder(await store.takeWaiting(trx, named, id)).map(newsOf);
}
