import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { events } from '@ops/contracts/events';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import { eventually } from '@ops/test-kit/eventually';
import { said, taken, told } from '../../test/message.ts';
import { customer as customerActor, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let customers = 0;
let phone = '';
let path = '';

/** Every test has a customer of its own, with a phone nobody else has. */
beforeEach(async () => {
  customers += 1;
  phone = `+447700900${String(customers).padStart(3, '0')}`;
  path = `/ops/customers/C-${customers}`;
  await service.put(staff, path, { name: 'Ada Demo', phones: [phone], emails: [`ada${customers}@example.com`] });
  await service.forgetEvents();
});

type Log = Page<Communication> & { unread_count: number };
const log = async (of = path) => (await service.get<Log>(staff, `${of}/communications?limit=200`)).body;
const customer = async (of = path) => (await service.get<Customer>(staff, of)).body;

test('what its sender dates it stands beside when it came; an event that says nothing of it claims nothing', async () => {
  const [dated, undated] = ['2018-01-01T00:00:00Z', null].map((claimed_at) => said({ sender: { phone }, claimed_at }));
  if (!dated || !undated) throw new Error('two were said');
  const { claimed_at: _, ...before } = undated;
  await taken(service, dated, events['provider.message.received'].data.parse(before));
  const shown = new Map((await log()).data.map(({ id, claimed_at }) => [id, claimed_at]));
  expect([dated, undated].map(({ item_id }) => shown.get(item_id))).toEqual(['2018-01-01T00:00:00.000000Z', null]);
});

test('a message of a known sender is in the log, unread, on the timeline and told, however often it comes', async () => {
  const message = said({ sender: { phone, name: 'Ada' }, occurred_at: '2026-02-27T09:00:00Z' });
  const envelope = told(message);
  const again = told(message);
  await service.bus.publish([envelope, envelope, again].map((event) => ({ event })));
  await eventually(async () => expect((await log()).data).toHaveLength(1));
  await eventually(async () =>
    expect(await service.db('inbox').whereIn('event_id', [envelope.id, again.id])).toHaveLength(2),
  );
  const { data, unread_count } = await log();
  expect(data).toMatchObject([
    {
      id: message.item_id,
      type: 'MESSAGING_APP',
      direction: 'INBOUND',
      body: 'Hello',
      unread: true,
      status: 'RECEIVED',
      author: null,
      provider: 'cloud-api',
      provider_message_id: message.external_id,
      occurred_at: '2026-02-27T09:00:00.000000Z',
      received_at: '2026-03-01T12:00:01.000000Z',
    },
  ]);
  expect([unread_count, (await customer()).unread_count]).toEqual([1, 1]);
  const { body } = await service.get<Page<TimelineEvent>>(staff, `${path}/timeline`);
  expect(body.data).toMatchObject([{ type: 'COMMUNICATION_RECEIVED', data: { communication_id: message.item_id } }]);
  const facts = { customer_id: `C-${customers}`, communication_id: message.item_id, renewal_id: null };
  expect(await service.events()).toMatchObject([
    { type: 'COMMUNICATION_RECEIVED', id: body.data[0]?.id, data: facts },
    { type: 'communication.changed', data: { ...facts, change: 'created', status: 'RECEIVED' } },
  ]);
});

test('it keeps which mailbox it was written to, where answers are wanted and whether the sender was verified', async () => {
  const email = `ada${customers}@example.com`;
  const facts = { recipient: 'office@firm.example', reply_to: 'desk@example.net', sender_verified: 'pass' } as const;
  await taken(service, said({ channel: 'EMAIL', sender: { email }, ...facts }), said({ sender: { phone } }));
  expect((await log()).data).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'EMAIL', ...facts }),
      expect.objectContaining({ type: 'MESSAGING_APP', recipient: null, reply_to: null, sender_verified: null }),
    ]),
  );
  expect((await customer()).emails).toEqual([email]);
});

test('what a machine wrote is in the log and waits for nobody, and is told as what it is', async () => {
  const [reply, answer] = [said({ sender: { phone }, automatic: true }), said({ sender: { phone } })] as const;
  await service.bus.publish([reply, answer].map((message) => ({ event: told(message) })));
  await eventually(async () => expect((await log()).data).toHaveLength(2));
  const { data, unread_count } = await log();
  const facts = data.map(({ id, automatic, unread }) => [id, automatic, unread]);
  expect(facts.sort()).toEqual(
    [
      [reply.item_id, true, false],
      [answer.item_id, false, true],
    ].sort(),
  );
  expect(unread_count).toBe(1);
  const { body } = await service.get<Page<TimelineEvent>>(staff, `${path}/timeline`);
  expect(body.data.map(({ data: { communication_id } }) => communication_id)).toEqual([answer.item_id]);
  const changed = (await service.events()).filter(({ type }) => type === 'communication.changed');
  expect(changed.map(({ data }) => [data.communication_id, data.automatic]).sort()).toEqual(
    [
      [reply.item_id, true],
      [answer.item_id, false],
    ].sort(),
  );
});

test("a message of an unknown sender is kept, in nobody's log, and told as nobody's", async () => {
  const message = said({ sender: { phone: '+447700900999', name: 'Zed' } });
  await service.bus.publish([{ event: told(message) }]);
  const kept = () => service.db('inbound_messages').where({ communication_id: message.item_id });
  await eventually(async () =>
    expect(await kept()).toMatchObject([{ reason: 'unknown', name: 'Zed', linked_at: null }]),
  );
  expect(await service.db('communications').where({ id: message.item_id })).toMatchObject([
    { customer_id: null, unread: true, body: 'Hello' },
  ]);
  expect(await service.db('timeline').where({ communication_id: message.item_id })).toEqual([]);
  expect(await service.events()).toMatchObject([
    {
      type: 'communication.changed',
      data: { customer_id: null, communication_id: message.item_id, change: 'created' },
    },
  ]);
});

test('a message that cannot be read costs the others of its batch nothing', async () => {
  const good = [said({ sender: { phone } }), said({ sender: { phone } })] as const;
  const bad = told(said({ sender: { phone } }));
  const broken = { ...bad, data: { ...bad.data, channel: 'PIGEON' } };
  await service.bus.publish([told(good[0]), broken, told(good[1])].map((event) => ({ event })));
  await eventually(async () => expect((await log()).data).toHaveLength(2));
});

test('cards of people and a place are kept by their parts, and shown to whoever reads the words', async () => {
  const card = { name: 'Bo\u0000 Demo', organisation: null, phones: ['+44 7700 900456'], emails: [] };
  const contacts = [{ ...card, addresses: [], websites: ['https://example.com'], birthday: null }];
  const place = { name: 'Office', address: null, latitude: 51.5, longitude: -0.1 };
  const [plain, shared] = [said({ sender: { phone } }), said({ sender: { phone }, contacts, place })];
  const { contacts: _, place: __, ...before } = plain;
  await taken(service, shared, events['provider.message.received'].data.parse(before));
  const kept = [{ ...contacts[0], name: 'Bo\ufffd Demo' }];
  for (const reader of [staff, customerActor(`C-${customers}`)]) {
    const { body } = await service.get<Log>(reader, `${path}/communications`);
    const of = (id: string) => body.data.find((one) => one.id === id);
    expect(of(shared.item_id)).toMatchObject({ contacts: kept, place });
    expect(of(plain.item_id)).toMatchObject({ contacts: [], place: null });
  }
});

test('what the database cannot store is replaced, and the message kept', async () => {
  await taken(
    service,
    said({ sender: { phone, name: 'A\u0000da' }, body: 'NUL \u0000 and half \ud83d', subject: '\u0000' }),
  );
  expect((await log()).data).toMatchObject([{ body: 'NUL \ufffd and half \ufffd', subject: '\ufffd' }]);
});
