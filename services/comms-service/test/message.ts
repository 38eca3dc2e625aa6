import { createOutbox } from '@ops/bus/outbox';
import { type EventOf, events } from '@ops/contracts/events';
import { inTransaction, type Trx } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import type { Deps } from '../src/deps.ts';
import type { ProviderMessage } from '../src/inbound/inbound.rules.ts';
import { takeIn } from '../src/inbound/inbound-service.ts';
import type { TestService } from './service.ts';

type Said = Partial<Omit<ProviderMessage, 'sender' | 'answers'>> & {
  sender?: Partial<ProviderMessage['sender']>;
  answers?: Partial<ProviderMessage['answers']>;
};

/** A text by messaging app from +44 7700 900001, but for what the test says. */
export function said({ sender, answers, ...rest }: Said = {}): ProviderMessage {
  const address = sender?.phone ?? sender?.email ?? sender?.user_id ?? '+447700900001';
  const { channel = 'MESSAGING_APP' } = rest;
  const item_id = uuidv7();
  return events['provider.message.received'].data.parse({
    delivery_id: uuidv7(),
    item_id,
    provider: provider[channel],
    account: 'ours',
    external_id: `ext-${item_id}`,
    occurred_at: '2026-03-01T12:00:00Z',
    received_at: '2026-03-01T12:00:01Z',
    kind: 'message',
    channel,
    sender_key: `${channel}:${address}`,
    recipient: null,
    subject: null,
    body: 'Hello',
    parts: [],
    target_external_id: null,
    emoji: null,
    new_identity: null,
    automatic: false,
    ...rest,
    sender: {
      address,
      phone: address.startsWith('+') ? address : null,
      email: null,
      user_id: null,
      name: null,
      ...sender,
    },
    answers: { external_ids: [], token: null, ...answers },
  });
}

const provider = { MESSAGING_APP: 'cloud-api', SMS: 'twilio', EMAIL: 'postmark' };

export const told = (data: ProviderMessage): EventOf<'provider.message.received'> => ({
  specversion: '1.0',
  id: uuidv7(),
  source: 'webhook-ingest',
  type: 'provider.message.received',
  subject: data.sender_key,
  time: data.received_at,
  data,
});

export const deps: Deps = {
  outbox: createOutbox('comms-service'),
  now: () => new Date(),
  agents: { known: async (ids: readonly string[]) => [...ids] },
  phoneRegion: undefined,
  automatedSendsAnHour: 20,
};

/** As the consumer takes a batch, without the bus; the transaction is still open. */
export const takeInOpen = (trx: Trx, ...messages: ProviderMessage[]) => takeIn(deps, trx, messages.map(told));

/** The same, and it is over. */
export const taken = (service: TestService, ...messages: ProviderMessage[]) =>
  inTransaction(service.db, (trx) => takeInOpen(trx, ...messages));
