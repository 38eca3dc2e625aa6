import { traceOf } from '@ops/bus/trace';
import type { EventOf } from '@ops/contracts/events';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { comparableAddress, inOrder, newsOf } from './receipt.rules.ts';
import * as store from './receipt-store.ts';
import type { News } from './send.rules.ts';
import { recordAllNews } from './send-service.ts';
import { lockSends } from './send-store.ts';

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
  const bySend = Map.groupBy(kept, ({ item_id }) => sendOf.get(item_id) ?? '');
  const sends = await lockSends(trx, [...bySend.keys()].filter(Boolean));
  const heard = sends.map((send) => {
    const own = bySend.get(send.id) ?? [];
    const cause = causes.get(own.at(-1)?.item_id ?? '');
    return { send, news: inOrder(own).map(newsOf), trace: cause && traceOf(cause) };
  });
  await recordAllNews(deps, trx, heard);
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

/** A send of which its provider has just said, or somebody else, under which id it has it. */
export interface NamedSend {
  id: string;
  provider: string;
  provider_message_id: string;
}

const providerIdOf = ({ id, provider, provider_message_id: external_id }: NamedSend) => ({ id, provider, external_id });

/** Taken before any send is locked. */
export async function lockProviderIds(trx: Trx, sends: readonly NamedSend[]): Promise<void> {
  if (sends.length > 0) await store.lockProviderIds(trx, sends.map(providerIdOf));
}

/** What was heard of these before their own sends came back, now that the provider's ids of them are known, and locked. */
export async function takeEarlyReceipts(trx: Trx, sends: readonly NamedSend[]): Promise<Map<string, News[]>> {
  if (sends.length === 0) return new Map();
  const waiting = await store.takeWaiting(trx, sends.map(providerIdOf));
  return new Map([...waiting].map(([id, receipts]) => [id, inOrder(receipts).map(newsOf)]));
}
