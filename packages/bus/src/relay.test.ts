import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import { createTestSchema } from '../test/schema.ts';
import { commit, customerChanged, newRelay, outbox } from './conformance/events.ts';
import { silent } from './conformance/world.ts';
import { createDeadLetters } from './dead-letters.ts';
import { UnroutableError } from './errors.ts';
import type { OutgoingMessage } from './port.ts';
import { createRelay } from './relay.ts';

let schema: Awaited<ReturnType<typeof createTestSchema>>;
beforeAll(async () => {
  schema = await createTestSchema();
});
afterAll(() => schema.drop());
beforeEach(() => emptyTables(schema.db, 'outbox', 'outbox_lease', 'inbox', 'dead_letters'));

/** A broker that takes everything, unless told otherwise. */
function broker() {
  const calls: string[][] = [];
  return {
    calls,
    published: () => calls.flat(),
    missingRoutes: async () => [],
    async publish(messages: readonly OutgoingMessage[]) {
      calls.push(messages.map(({ event }) => event.id));
    },
  };
}

const logged = (renewal_id: string | null) => ({
  type: 'communication.changed' as const,
  data: {
    customer_id: 'C-1',
    occurred_at: '2030-01-01T00:00:00Z',
    change: 'created' as const,
    communication_id: uuidv7(),
    type: 'SMS' as const,
    direction: 'INBOUND' as const,
    status: 'RECEIVED' as const,
    renewal_id,
    renewal_ids: [],
    automatic: false,
    in_reply_to: null,
    written_at: '2030-01-01T00:00:00Z',
  },
});

const waiting = () => schema.db('outbox').whereNull('published_at');

test('publishes in the order of commits, in batches, and marks what was confirmed', async () => {
  const bus = broker();
  const events = await commit(schema.db, 25);
  const relay = createRelay({ db: schema.db, bus, logger: silent, batch: 10 });
  expect(await relay.runOnce()).toEqual({ published: 10 });
  expect(await waiting()).toHaveLength(15);
  while ((await relay.runOnce()).published > 0);
  expect(bus.calls.map((call) => call.length)).toEqual([10, 10, 5]);
  expect(bus.published()).toEqual(events.map(({ id }) => id));
  expect(await waiting()).toEqual([]);
});

test('what was not confirmed is not marked, and goes again', async () => {
  const bus = broker();
  const [event] = await commit(schema.db, 1);
  const relay = newRelay(schema.db, { publish: () => Promise.reject(new Error('no confirm')) });
  await expect(relay.runOnce()).rejects.toThrow('no confirm');
  expect(await waiting()).toHaveLength(1);
  await relay.stop();
  await newRelay(schema.db, bus).runOnce();
  expect(bus.published()).toEqual([event?.id]);
});

test('an event committed late, below those already published, is not skipped', async () => {
  const bus = broker();
  const relay = newRelay(schema.db, bus);
  const slow = await schema.db.transaction();
  const late = await outbox.add(slow, customerChanged('C-1', 1));
  const [early] = await commit(schema.db, 1);
  await relay.runOnce();
  expect(bus.published()).toEqual([early?.id]);
  await slow.commit();
  await relay.runOnce();
  expect(bus.published()).toEqual([early?.id, late.id]);
});

test('one relay works, the others stand by until its lease ends or is given back', async () => {
  const bus = broker();
  const first = newRelay(schema.db, bus, 60_000);
  const second = newRelay(schema.db, bus, 60_000);
  await first.runOnce();
  await commit(schema.db, 1);
  expect(await second.runOnce()).toEqual({ published: 0 });
  await first.stop();
  expect(await second.runOnce()).toEqual({ published: 1 });
  await commit(schema.db, 1);
  await schema.db.raw("UPDATE outbox_lease SET expires_at = now() - interval '1 second'");
  expect(await first.runOnce()).toEqual({ published: 1 });
});

test('an event of a type that only a later version knows waits for a relay of that version, and holds nobody up', async () => {
  const bus = broker();
  const [known] = await commit(schema.db, 1);
  const later = { event_id: 'later', type: 'customer.met', event: JSON.stringify({ ...known, type: 'customer.met' }) };
  await schema.db('outbox').insert(later);
  const [next] = await commit(schema.db, 1);
  await newRelay(schema.db, bus).runOnce();
  expect(bus.published()).toEqual([known?.id, next?.id]);
  expect(await waiting()).toMatchObject([{ type: 'customer.met' }]);
});

test('a replay goes to its queue, of whatever type it is', async () => {
  const bus = broker();
  const [event] = await commit(schema.db, 1);
  const relay = newRelay(schema.db, bus);
  await relay.runOnce();
  await schema.db('outbox').update({ type: 'customer.met', queue: 'comms-service:customer:work', published_at: null });
  await relay.runOnce();
  expect(bus.published()).toEqual([event?.id, event?.id]);
});

test('what concerns no queue is told to taps alone; a replay of it goes to its queue', async () => {
  const published: OutgoingMessage[] = [];
  const bus = { publish: async (messages: readonly OutgoingMessage[]) => void published.push(...messages) };
  const relay = newRelay(schema.db, bus);
  const events = [logged(null), logged(uuidv7()), customerChanged('C-1', 1)];
  await schema.db.transaction((trx) => outbox.addMany(trx, events));
  await relay.runOnce();
  expect(published.map(({ live }) => live)).toEqual([true, false, false]);
  await schema.db('outbox').update({ published_at: null, queue: 'renewals-service:communication:link' });
  await relay.runOnce();
  expect(published.slice(3).map(({ live }) => live)).toEqual([undefined, undefined, undefined]);
});

test('what a queue does not take, an event or a replay, holds up nothing that others wait for, and leaves when it does', async () => {
  const bus = broker();
  let isFull = true;
  let callsLost = 0;
  const relay = createRelay({
    db: schema.db,
    logger: silent,
    batch: 10,
    bus: {
      ...bus,
      async publish(messages) {
        if (callsLost > 0) {
          callsLost -= 1;
          throw new Error('the channel was given up');
        }
        const isRefused = ({ event, queue }: OutgoingMessage) =>
          queue !== undefined || event.type === 'customer.changed';
        if (isFull && messages.some(isRefused)) {
          callsLost = 2;
          throw new Error('not confirmed');
        }
        await bus.publish(messages);
      },
    },
  });
  await commit(schema.db, 12);
  await schema.db('outbox').where('id', schema.db('outbox').min('id')).update({ queue: 'comms-service:customer:work' });
  await schema.db.transaction((trx) =>
    outbox.addMany(
      trx,
      Array.from({ length: 12 }, () => logged(null)),
    ),
  );
  relay.start();
  await eventually(async () => expect(await waiting()).toHaveLength(12));
  expect(bus.published()).toHaveLength(12);
  isFull = false;
  await eventually(async () => expect(await waiting()).toEqual([]));
  expect(new Set(bus.published()).size).toBe(24);
  await relay.stop();
});

test('a nudge cuts the wait short', async () => {
  const bus = broker();
  const relay = createRelay({ db: schema.db, bus, logger: silent, pollMs: 3_600_000 });
  relay.start();
  await eventually(async () => expect(await schema.db('outbox_lease')).toHaveLength(1));
  const [event] = await commit(schema.db, 1);
  relay.nudge();
  await eventually(() => expect(bus.published()).toEqual([event?.id]));
  await relay.stop();
  expect(await schema.db('outbox_lease')).toEqual([]);
});

test('what comes soon after something went out goes out together, and a stop does not wait for more', async () => {
  const bus = broker();
  const relay = createRelay({ db: schema.db, bus, logger: silent, gatherMs: 3_600_000 });
  relay.start();
  await commit(schema.db, 1);
  relay.nudge();
  await eventually(async () => expect(await waiting()).toEqual([]));
  for (let n = 0; n < 3; n++) {
    await commit(schema.db, 1);
    relay.nudge();
  }
  await relay.runOnce();
  expect(bus.calls.map((call) => call.length)).toEqual([1, 3]);
  await relay.stop();
});

test('a replay whose queue is gone holds nobody up, and its dead letter waits again', async () => {
  const bus = broker();
  const letters = createDeadLetters(schema.db, outbox);
  const [broken] = await commit(schema.db, 1);
  await newRelay(schema.db, bus, 0).runOnce();
  const id = '01900000-0000-7000-8000-000000000001';
  await schema.db('dead_letters').insert({
    id,
    queue: 'comms-service:old:queue',
    event_id: broken?.id,
    event_type: 'customer.changed',
    subject: 'C-1',
    body: JSON.stringify(broken),
    attempts: 3,
    error: 'failed',
  });
  await schema.db.transaction((trx) => letters.replay(trx, id));
  const [next] = await commit(schema.db, 1);
  const relay = newRelay(schema.db, {
    async publish(messages) {
      await bus.publish(messages.filter(({ queue }) => queue === undefined));
      throw new UnroutableError(messages.filter(({ queue }) => queue !== undefined));
    },
  });
  await relay.runOnce();
  expect(bus.published()).toEqual([broken?.id, next?.id]);
  expect(await waiting()).toEqual([]);
  expect(await schema.db('outbox').whereNotNull('error')).toMatchObject([{ queue: 'comms-service:old:queue' }]);
  expect((await letters.list({ replayed: false, limit: 10 })).data).toMatchObject([{ id }]);
});
