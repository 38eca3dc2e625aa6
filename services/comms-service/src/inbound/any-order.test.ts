import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import { eventually } from '@ops/test-kit/eventually';
import fc from 'fast-check';
import { said, taken, told } from '../../test/message.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import type { ProviderMessage } from './inbound.rules.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let worlds = 0;

/** Two customers with a phone each and one they share, and what they and a stranger say, with its edits and reactions. */
async function newWorld() {
  worlds += 1;
  const n = String(worlds).padStart(4, '0');
  const phones = { ada: `+4470${n}1`, bob: `+4470${n}2`, both: `+4470${n}3`, stranger: `+4470${n}4` };
  await service.put(staff, `/ops/customers/ada-${n}`, { name: 'Ada Demo', phones: [phones.ada, phones.both] });
  await service.put(staff, `/ops/customers/bob-${n}`, { name: 'Bob Demo', phones: [phones.bob, phones.both] });
  return { n, phones, customers: [`ada-${n}`, `bob-${n}`] };
}

type World = Awaited<ReturnType<typeof newWorld>>;

function conversation({ n, phones }: World): ProviderMessage[] {
  const at = (minute: number) => `2026-03-01T12:${String(minute).padStart(2, '0')}:00Z`;
  const user_id = `US.${n}`;
  const words = [
    said({ sender: { phone: phones.ada, user_id }, external_id: `${n}-1`, occurred_at: at(1) }),
    said({ sender: { user_id }, external_id: `${n}-2`, occurred_at: at(2), answers: { external_ids: [`${n}-1`] } }),
    said({ sender: { phone: phones.bob }, external_id: `${n}-3`, occurred_at: at(3), body: 'STOP' }),
    said({ sender: { phone: phones.bob }, external_id: `${n}-4`, occurred_at: at(4), body: 'START' }),
    said({ sender: { phone: phones.both }, external_id: `${n}-5`, occurred_at: at(5) }),
    said({ sender: { phone: phones.stranger }, external_id: `${n}-6`, occurred_at: at(6) }),
    said({ sender: { phone: phones.bob }, external_id: `${n}-7`, occurred_at: at(6), channel: 'SMS', body: 'STOP' }),
  ];
  const about = (target: number, kind: ProviderMessage['kind'], minute: number, rest: Partial<ProviderMessage>) =>
    said({
      kind,
      target_external_id: `${n}-${target}`,
      occurred_at: at(minute),
      ...rest,
      sender: { phone: phones.ada },
    });
  const changes = [
    about(1, 'reaction', 7, { emoji: '👍' }),
    about(1, 'reaction', 8, { emoji: '❤️' }),
    about(2, 'edit', 9, { body: 'One' }),
    about(2, 'edit', 10, { body: 'Two' }),
    about(6, 'reaction', 11, { emoji: null }),
  ];
  return [...words, ...changes];
}

/** What the log comes to, without what differs between any two runs. */
async function outcome({ n, customers }: World) {
  const logs = await Promise.all(
    customers.map(async (id) => {
      const { body } = await service.get<Page<Communication> & { unread_count: number }>(
        ...([staff, `/ops/customers/${id}/communications?limit=200`] as const),
      );
      const { body: customer } = await service.get<Customer>(staff, `/ops/customers/${id}`);
      const names = new Map(body.data.map((record) => [record.id, record.provider_message_id]));
      const records = body.data.map(
        ({ provider_message_id, body, reactions, amendments, in_reply_to, occurred_at }) => ({
          provider_message_id,
          body,
          reactions,
          amendments,
          occurred_at,
          answers: in_reply_to && names.get(in_reply_to),
        }),
      );
      const lines = await service.db('timeline').where({ customer_id: id });
      const { user_ids, opted_out, unread_count } = customer;
      return { records, lines: lines.length, user_ids, opted_out, counts: [unread_count, body.unread_count] };
    }),
  );
  const nobodys = await service
    .db('communications')
    .whereNull('customer_id')
    .whereLike('provider_message_id', `${n}-%`);
  return JSON.stringify([logs, nobodys.map((row) => row.provider_message_id).sort()]).replaceAll(n, 'N');
}

/** An order of the conversation, some of it twice, cut into batches. */
const deliveries = fc
  .record({
    order: fc.shuffledSubarray([...Array(12).keys()], { minLength: 12, maxLength: 12 }),
    again: fc.array(fc.nat(11), { maxLength: 6 }),
    sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 18, maxLength: 18 }),
  })
  .map(({ order, again, sizes }) => {
    const left = [...order, ...again];
    return sizes.map((size) => left.splice(0, size)).filter((batch) => batch.length > 0);
  });

test('in whatever order, batches and repetitions messages come, the log is the same', async () => {
  const inTime = await newWorld();
  for (const message of conversation(inTime)) await taken(service, message);
  const expected = await outcome(inTime);
  expect(JSON.parse(expected)[0]).toMatchObject([
    {
      counts: [2, 2],
      lines: 2,
      user_ids: ['US.N'],
      records: [{ amendments: [{}, {}], answers: 'N-1' }, { reactions: [{}] }],
    },
    { counts: [3, 3], opted_out: ['SMS'] },
  ]);
  await fc.assert(
    fc.asyncProperty(deliveries, async (batches) => {
      const world = await newWorld();
      const all = conversation(world);
      for (const batch of batches) await taken(service, ...batch.map((index) => all[index] as ProviderMessage));
      expect(await outcome(world)).toBe(expected);
    }),
    { seed: 20_260_312, numRuns: 12 },
  );
});

test('the same when the batches are taken at once', async () => {
  const inTime = await newWorld();
  for (const message of conversation(inTime)) await taken(service, message);
  const expected = await outcome(inTime);
  await fc.assert(
    fc.asyncProperty(deliveries, async (batches) => {
      const world = await newWorld();
      const all = conversation(world);
      await Promise.all(batches.map((batch) => taken(service, ...batch.map((index) => all[index] as ProviderMessage))));
      expect(await outcome(world)).toBe(expected);
    }),
    { seed: 20_260_313, numRuns: 8 },
  );
});

test('one message told of 50 times at once, by 50 events, is one record, one line, one event and unread once', async () => {
  const { phones, customers } = await newWorld();
  const [id] = customers;
  const message = said({ sender: { phone: phones.ada } });
  await service.forgetEvents();
  const events = Array.from({ length: 50 }, () => told(message));
  await Promise.all(events.map((event) => service.bus.publish([{ event }])));
  await eventually(async () => {
    const taken = await service.db('inbox').whereIn(
      'event_id',
      events.map((event) => event.id),
    );
    expect(taken).toHaveLength(50);
  });
  expect((await service.get<Customer>(staff, `/ops/customers/${id}`)).body.unread_count).toBe(1);
  expect(await service.db('timeline').where({ customer_id: id })).toHaveLength(1);
  expect((await service.events()).map(({ type }) => type)).toEqual(['COMMUNICATION_RECEIVED', 'communication.changed']);
});

test('a message and the customer it belongs to come at once, again and again: it is never left waiting', async () => {
  for (let wave = 0; wave < 8; wave++) await Promise.all([0, 1, 2, 3].map((n) => race(wave * 4 + n)));
});

async function race(n: number): Promise<void> {
  const phone = `+44710${String(n).padStart(4, '0')}`;
  const message = said({ sender: { phone } });
  const put = () => service.put(staff, `/ops/customers/race-${n}`, { name: 'Race Demo', phones: [phone] });
  await Promise.all(n % 2 ? [taken(service, message), put()] : [put(), taken(service, message)]);
  const [row] = await service.db('communications').where({ id: message.item_id });
  expect(row.customer_id).toBe(`race-${n}`);
  expect(await service.db('timeline').where({ communication_id: message.item_id })).toHaveLength(1);
}
