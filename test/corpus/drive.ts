import { expect } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import type { EventData } from '@ops/contracts/events';
import type { Unmatched } from '@ops/contracts/resources/unmatched';
import type { WebhookDeliveryDetail } from '@ops/contracts/resources/webhook-delivery';
import type { ApiClient } from '@ops/contracts/test/http-client';
import { eventually } from '@ops/test-kit/eventually';
import type { System } from '@ops/test-system/system';
import { post, type Webhook } from '../webhooks/as-provider.ts';

type Message = EventData<'provider.message.received'>;
type Receipt = EventData<'provider.receipt.received'>;

export interface Driven {
  delivery: WebhookDeliveryDetail;
  messages: Message[];
  receipts: Receipt[];
}

/** The system, and two people at work with it. */
export interface Desk {
  system: System;
  admin: ApiClient;
  staff: ApiClient;
}

export const openDesk = async (system: System): Promise<Desk> => ({
  system,
  admin: await system.client('admin'),
  staff: await system.client('staff'),
});

/** Lets the files of a corpus, many of which share ids and tokens, each have the system as if none had come before. */
export async function forgetItems({ system }: Desk): Promise<void> {
  await system.database('ingest')('items').delete();
  await system.database('ingest')('deliveries').update({ replay_key: null });
}

/** Posts it, and again, and waits until everything it announced was taken in. */
export async function drive(desk: Desk, webhook: Webhook): Promise<Driven> {
  const { system } = desk;
  await forgetItems(desk);
  expect((await post(system.gatewayUrl, webhook)).status).toBe(200);
  const delivery = await newestDelivery(desk);
  const events: { event: Envelope }[] = await system
    .database('ingest')('outbox')
    .whereRaw(`event->'data'->>'delivery_id' = ?`, delivery.id)
    .orderBy('id')
    .select('event');
  expect(events).toHaveLength(delivery.items);
  await takenIn(system, events);
  expect((await post(system.gatewayUrl, webhook)).status).toBe(200);
  expect(await newestDelivery(desk)).toMatchObject({ id: delivery.id, repeats: delivery.repeats + 1 });
  const of = <T>(type: string) => events.filter(({ event }) => event.type === type).map(({ event }) => event.data as T);
  return { delivery, messages: of('provider.message.received'), receipts: of('provider.receipt.received') };
}

async function newestDelivery({ admin }: Desk): Promise<WebhookDeliveryDetail> {
  const { data } = (await admin.get('/ops/webhook-deliveries?limit=1')).body as { data: { id: string }[] };
  return (await admin.get(`/ops/webhook-deliveries/${data[0]?.id}`)).body as WebhookDeliveryDetail;
}

const takers = {
  'provider.message.received': ['comms', 'comms-service:provider-message:log'],
  'provider.receipt.received': ['notifier', 'notifier:receipt:match'],
} as const;

async function takenIn(system: System, events: { event: Envelope }[]): Promise<void> {
  for (const { event } of events) {
    const [owner, queue] = takers[event.type as keyof typeof takers];
    const inbox = system.database(owner)('inbox').where({ queue, event_id: event.id });
    await eventually(async () => expect(await inbox.clone()).toHaveLength(1));
  }
}

/** The waiting messages of a delivery, as staff see them. */
export async function waiting({ staff }: Desk, { messages }: Driven): Promise<Unmatched[]> {
  const ids = new Set(messages.map(({ item_id }) => item_id));
  const found: Unmatched[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await staff.get(`/ops/unmatched?limit=200${query}`)).body as {
      data: Unmatched[];
      next_cursor: string | null;
    };
    found.push(...page.data.filter(({ id }) => ids.has(id)));
    cursor = page.next_cursor;
  }
  return found;
}

/** In a line: what it was taken for, and what came of it. */
export async function tell(desk: Desk, driven: Driven): Promise<string> {
  const { delivery, messages, receipts } = driven;
  const records = await waiting(desk, driven);
  const told = [
    ...messages.map((message) => tellMessage(message, records)),
    ...receipts.map(({ status, failure }) => `receipt ${status}${failure ? ` ${failure.code}` : ''}`),
    ...(delivery.reason === null ? [] : [`not understood: ${delivery.reason}`]),
  ];
  return `${delivery.outcome}: ${told.join('; ')}`;
}

function tellMessage(message: Message, records: readonly Unmatched[]): string {
  const { kind, sender, target_external_id, emoji, new_identity } = message;
  const from = `from ${sender.phone ?? sender.email ?? sender.user_id ?? sender.address}`;
  if (kind === 'reaction') return `reaction ${emoji ?? 'taken back'} ${from} to ${target_external_id}`;
  if (kind === 'identity') return `${from}, who goes by ${new_identity?.user_id} now`;
  if (kind !== 'message') return `${kind} ${from} of ${target_external_id}`;
  const record = records.find(({ id }) => id === message.item_id);
  expect(record).toMatchObject({ type: message.channel, subject: message.subject });
  const files = record?.attachments.length ? `, ${record.attachments.length} files` : '';
  const now = new_identity ? `, who goes by ${new_identity.phone ?? new_identity.user_id} now` : '';
  const machine = message.automatic ? ', by a machine' : '';
  return `${message.channel} ${from}${now}: ${JSON.stringify((record?.subject ?? '') + (record?.subject ? ' / ' : '') + record?.body).slice(0, 80)}${files}${machine}`;
}
