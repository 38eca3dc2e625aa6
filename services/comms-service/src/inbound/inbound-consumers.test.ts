import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import { eventually } from '@ops/test-kit/eventually';
import { said, taken, told } from '../../test/message.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';

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

test('what the database cannot store is replaced, and the message kept', async () => {
  await taken(
    service,
    said({ sender: { phone, name: 'A\u0000da' }, body: 'NUL \u0000 and half \ud83d', subject: '\u0000' }),
  );
  expect((await log()).data).toMatchObject([{ body: 'NUL \ufffd and half \ufffd', subject: '\ufffd' }]);
});
