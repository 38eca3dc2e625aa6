import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Unmatched } from '@ops/contracts/resources/unmatched';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type RabbitNode, startRabbitNode } from '@ops/test-kit/rabbitmq-node';
import { seeded } from '@ops/test-kit/random';
import { type System, startSystem } from '@ops/test-system/system';
import { everythingInTurn } from './in-turn.ts';
import { type Client, everyPage } from './pages.ts';

const MESSAGES = Number(process.env.CHAOS_INBOUND ?? 500);
const CUSTOMERS = Number(process.env.CHAOS_INBOUND_CUSTOMERS ?? 100);
const ROUNDS = Number(process.env.CHAOS_INBOUND_ROUNDS ?? 1);
const SEED = Number(process.env.CHAOS_SEED ?? 1);
const STRANGERS = 10;
const WRITERS = 8;

interface Said {
  /** -1: by somebody nobody knows. */
  customer: number;
  channel: 'MESSAGING_APP' | 'EMAIL';
  phone: string;
  text: string;
  at: string;
}

const phoneOf = (n: number) => `+4477009${String(n).padStart(5, '0')}`;
const emailOf = (n: number) => `customer-${n}@example.com`;
const idOf = (n: number) => `C-inbound-${n}`;

/** Within the last hour, for older dates are not believed. */
const begun = Date.now() - 3_600_000;

/** One second apart, so that there is one right order; every fiftieth by somebody unknown, every twentieth a mail. */
const conversation: Said[] = Array.from({ length: MESSAGES }, (_, i) => {
  const customer = i % 50 === 7 ? -1 : i % CUSTOMERS;
  return {
    customer,
    channel: customer >= 0 && i % 20 === 0 ? 'EMAIL' : 'MESSAGING_APP',
    phone: phoneOf(customer === -1 ? CUSTOMERS + (i % STRANGERS) : customer),
    text: canary(),
    at: new Date(begun + i * 1000).toISOString(),
  };
});

describe.each(['rabbitmq', 'postgres'] as const)(
  'messages come in while everything is killed in turn, %s bus',
  (bus) => {
    let broker: RabbitNode | undefined;
    let system: System;

    beforeAll(async () => {
      broker = bus === 'rabbitmq' ? await startRabbitNode() : undefined;
      system = await startSystem({ bus, ...(broker && { amqpUrl: broker.url }) });
      await Promise.all(Array.from({ length: WRITERS }, (_, i) => introduce(system, i)));
      for (let i = 0; i < STRANGERS; i += 1) await system.simulator.person({ phone: phoneOf(CUSTOMERS + i) });
    });
    afterAll(async () => {
      await system?.stop();
      await broker?.stop();
    });

    test(`${MESSAGES} messages: each once, in order, counted; nothing is left anywhere`, async () => {
      const { simulator } = system;
      await simulator.faults({ seed: SEED, inbound_duplicate_rate: 0.05 });
      const blows = everythingInTurn(system, broker, { messages: MESSAGES, rounds: ROUNDS });
      const order = shuffled(conversation);
      let next = 0;
      let turn = Promise.resolve();
      const write = async () => {
        for (let i = next++; i < order.length; i = next++) {
          const { customer, phone, ...letter } = order[i] as Said;
          await simulator.write(phone, letter);
          const blow = blows.get(i);
          if (blow) turn = turn.then(blow);
          await turn;
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, write));

      await eventually(async () => expect(await simulator.webhooksWaiting()).toBe(0), slowly);
      await eventually(async () => expect(await system.eventsWaiting()).toEqual({}), slowly);
      const staff = await system.client('staff');
      await eventually(
        async () => expect((await everythingUnmatched(staff)).sort()).toEqual(textsOf(-1).sort()),
        slowly,
      );
      for (let n = 0; n < CUSTOMERS; n += 1) {
        const { texts, unreadCount } = await eventually(async () => {
          const log = await everythingOf(staff, idOf(n));
          expect(log.texts).toEqual(textsOf(n).reverse());
          return log;
        });
        expect(unreadCount).toBe(texts.length);
      }
      expect(await system.eventsWaiting()).toEqual({});
    }, 1_800_000);
  },
);

const slowly = { timeoutMs: 300_000, everyMs: 250 };

const textsOf = (customer: number) => conversation.filter((one) => one.customer === customer).map(({ text }) => text);

async function introduce(system: System, first: number): Promise<void> {
  const staff = await system.client('staff');
  for (let n = first; n < CUSTOMERS; n += WRITERS) {
    const addresses = { phone: phoneOf(n), email: emailOf(n) };
    await system.simulator.person({ name: `Demo ${n}`, ...addresses });
    const known = { name: `Demo ${n}`, phones: [addresses.phone], emails: [addresses.email] };
    await staff.put(`/ops/customers/${idOf(n)}`, known);
  }
}

function shuffled<T>(list: readonly T[]): T[] {
  const random = seeded(SEED);
  const left = [...list];
  return list.map(() => left.splice(random.below(left.length), 1)[0] as T);
}

/** Newest first, as the log tells it. */
async function everythingOf(staff: Client, customer: string) {
  const path = `/ops/customers/${customer}/communications?limit=200`;
  const pages = await everyPage<Communication & { body: string }, { unread_count: number }>(staff, path);
  return { texts: pages.data.map(({ body }) => body), unreadCount: pages.last.unread_count };
}

const everythingUnmatched = async (staff: Client) =>
  (await everyPage<Unmatched>(staff, '/ops/unmatched?limit=200')).data.map(({ body }) => body);
