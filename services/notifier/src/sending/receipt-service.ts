import { currentTrace, traceOf } from '@ops/bus/trace';
import type { EventOf } from '@ops/contracts/events';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import type { Outcome } from '../senders/sender.ts';
import { comparableAddress, inOrder, newsOf } from './receipt.rules.ts';
import * as store from './receipt-store.ts';
import type { News } from './send.rules.ts';
import { recordNews } from './send-service.ts';
import { lockSend } from './send-store.ts';

type Received = EventOf<'provider.receipt.received'>;

/** Each is kept once. What belongs to no send waits for the one whose provider has not answered yet. */
export async function matchReceipts(deps: Deps, trx: Trx, received: readonly Received[]): Promise<void> {
  const receipts = received.map(receiptOf);
  await store.lockProviderIds(trx, receipts);
  const fresh = await store.insertReceipts(trx, receipts);
  const kept = receipts.filter(({ item_id }) => fresh.delete(item_id));
  const sendOf = await store.findSends(trx, kept);
  await store.assign(trx, sendOf);
  const causes = new Map(received.map((event) => [event.data.item_id, event]));
  for (const [id, heard] of bySend(kept, sendOf)) {
    const send = await lockSend(trx, id);
    const cause = causes.get(heard.at(-1)?.item_id ?? '') as Received;
    const news = inOrder(heard).map(newsOf);
    if (send) await currentTrace.run(traceOf(cause), recordNews, deps, trx, send, news);
  }
}

function receiptOf({ data }: Received): store.NewReceipt {
  const { item_id, provider, external_id, attempt_id, status, failure, recipients, occurred_at, received_at } = data;
  return {
    item_id,
    provider,
    external_id,
    attempt_id,
    status,
    failure,
    recipients: recipients?.map(comparableAddress) ?? null,
    occurred_at: new Date(occurred_at),
    received_at: new Date(received_at),
  };
}

/** In the order of ids, in which everybody locks them. */
function bySend(receipts: readonly store.Receipt[], sendOf: ReadonlyMap<string, string>) {
  const grouped = Map.groupBy(receipts, ({ item_id }) => sendOf.get(item_id) ?? '');
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
