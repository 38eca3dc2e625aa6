import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { Communication } from '@ops/contracts/resources/communication';
import type { CustomerDetail } from '@ops/contracts/resources/customer';
import { said, taken } from '../../test/message.ts';
import { automation, customer, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo', emails: ['ada@example.com'], locale: 'de' });
  await service.put(staff, '/ops/customers/C-2', { name: 'Bob Demo' });
});
afterAll(() => service.close());
beforeEach(() => service.forgetEvents());

const log = '/ops/customers/C-1/communications';
const renewal_id = '0195c4e0-0000-7000-8000-000000000009';
const inbound = { type: 'EMAIL', direction: 'INBOUND', body: 'When does it expire?', subject: 'My permit' };
const outbound = { type: 'EMAIL', direction: 'OUTBOUND', body: 'In March.' };

const create = async (record: object, path = log) => (await service.post<Communication>(staff, path, record)).body;
/** As it would stand had a provider brought it. */
const known = async (record: Communication, provider_message_id: string, change: object = {}) => {
  await service
    .db('communications')
    .where({ id: record.id })
    .update({ provider_message_id, ...change });
  return record;
};

test('an answer carries the thread, the subject and the renewal of what it answers to its sender', async () => {
  const first = await known(await create(inbound), '<first@example.com>', { renewal_id });
  const second = await known(await create({ ...outbound, in_reply_to: first.id }), '<second@example.com>');
  const third = await known(await create({ ...inbound, subject: null, in_reply_to: second.id }), '<third@example.com>');
  await service.forgetEvents();
  const { id, ...answer } = await create({ ...outbound, in_reply_to: third.id });
  expect(second).toMatchObject({ subject: 'Re: My permit', renewal_id });
  expect(answer).toMatchObject({ in_reply_to: third.id, subject: null, renewal_id });
  const [queued] = await service.events();
  expect(queued?.data).toEqual({
    customer_id: 'C-1',
    communication_id: id,
    attempt: 1,
    type: 'EMAIL',
    to: 'ada@example.com',
    user_id: null,
    subject: null,
    body: 'In March.',
    attachments: [],
    in_reply_to: third.id,
    renewal_id,
    locale: 'de',
    thread: {
      external_id: '<third@example.com>',
      references: ['<first@example.com>', '<second@example.com>', '<third@example.com>'],
    },
    send_after: null,
    window_open_until: null,
    template: null,
    automated: false,
    opted_out: false,
    do_not_contact: false,
  });
});

test('what has gone through no provider is answered without a thread', async () => {
  const { id } = await create(inbound);
  await service.forgetEvents();
  await create({ ...outbound, in_reply_to: id });
  const [queued] = await service.events();
  expect(queued?.data).toMatchObject({ in_reply_to: id, thread: { external_id: null, references: [] } });
});

test('a chain of answers without end is followed back for twenty steps', async () => {
  const one = await known(await create(inbound), '<loop@example.com>');
  await known(one, '<loop@example.com>', { in_reply_to: one.id });
  await service.forgetEvents();
  await create({ ...outbound, in_reply_to: one.id });
  const [queued] = await service.events();
  const references = Array(20).fill('<loop@example.com>');
  expect(queued?.data).toMatchObject({ thread: { references } });
});

test('only a record of the same customer and type can be answered', async () => {
  const theirs = await create(inbound, '/ops/customers/C-2/communications');
  const sms = await create({ ...inbound, type: 'SMS', subject: null });
  const unplaced = await create(inbound);
  await service.db('timeline').where({ communication_id: unplaced.id }).delete();
  await service.db('communications').where({ id: unplaced.id }).update({ customer_id: null });
  for (const { id } of [theirs, sms, unplaced, { id: renewal_id }]) {
    const { status, body } = await service.post<Problem>(staff, log, { ...outbound, in_reply_to: id });
    expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 422, path: 'in_reply_to' });
  }
  const note = { type: 'INTERNAL_NOTE', direction: 'INTERNAL', body: 'Hello', in_reply_to: sms.id };
  expect(await service.post(staff, log, note)).toMatchObject({ status: 422 });
});

test('a message nobody could place yet is neither refiled nor struck, and its history can be read', async () => {
  const { id } = await create(inbound);
  await service.db('communications').where({ id }).update({ customer_id: null });
  const at = `/ops/communications/${id}`;
  expect(await service.post(staff, `${at}/move`, { customer_id: 'C-2' })).toMatchObject({ status: 409 });
  expect(await service.post(staff, `${at}/strike`)).toMatchObject({ status: 409 });
  expect(await service.post(staff, `${at}/retry`)).toMatchObject({ status: 409 });
  expect(await service.get(staff, `${at}/history`)).toMatchObject({ status: 200, body: { data: [] } });
  expect(await service.get(customer('C-1'), `${at}/history`)).toMatchObject({ status: 403 });
});

test('an answer goes to the address that was written from, also when it is asked again before it is sent', async () => {
  const emails = ['eve@example.com', 'eve@work.example'];
  await service.put(staff, '/ops/customers/C-3', { name: 'Eve Demo', emails });
  const mail = said({ channel: 'EMAIL', sender: { email: 'Eve@Work.example' } });
  await taken(service, mail);
  await service.forgetEvents();
  const to = '/ops/customers/C-3/communications';
  const { id } = await create({ ...outbound, in_reply_to: mail.item_id }, to);
  await create(outbound, to);
  const queued = (await service.events()).filter(({ type }) => type === 'communication.queued');
  expect(queued.map(({ data }) => data.to)).toEqual(['eve@work.example', 'eve@example.com']);
  const asked = async () =>
    (await service.asked('notifier', `/internal/communications/${id}/send-permission?attempt=1`)).json();
  expect(await asked()).toMatchObject({ may_send: true, to: 'eve@work.example' });
  await service.put(staff, '/ops/customers/C-3', { name: 'Eve Demo', emails: ['eve@example.com'] });
  expect(await asked()).toMatchObject({ may_send: true, to: 'eve@example.com' });
});

test('a record says by which address it came, which a customer is not told', async () => {
  await service.put(staff, '/ops/customers/C-8', {
    name: 'Kim Demo',
    phones: ['+447700900308'],
    emails: ['kim@example.com'],
  });
  await taken(service, said({ channel: 'EMAIL', sender: { email: 'Kim@example.com' } }));
  await taken(service, said({ channel: 'SMS', sender: { phone: '+447700900308' } }));
  const path = '/ops/customers/C-8/communications';
  await create(outbound, path);
  const senders = async (reader: typeof staff) => {
    const { body } = await service.get<Page<Communication>>(reader, path);
    return Object.fromEntries(body.data.map(({ type, direction, sender }) => [`${type} ${direction}`, sender]));
  };
  const known = { 'EMAIL INBOUND': 'Kim@example.com', 'SMS INBOUND': '+447700900308', 'EMAIL OUTBOUND': null };
  expect(await senders(staff)).toEqual(known);
  expect(Object.values(await senders(customer('C-8')))).toEqual([null, null, null]);
});

test('a person answers where the writer wants answers; a machine writes to the customer, and nobody gets to know the address', async () => {
  await service.put(staff, '/ops/customers/C-7', { name: 'Zoe Demo', emails: ['zoe@example.com'] });
  const mail = said({ channel: 'EMAIL', sender: { email: 'zoe@example.com' }, reply_to: 'desk@work.example' });
  await taken(service, mail);
  await service.forgetEvents();
  const to = '/ops/customers/C-7/communications';
  const answer = { ...outbound, in_reply_to: mail.item_id };
  const { id } = await create(answer, to);
  await service.post(automation, to, answer);
  await create(outbound, to);
  const queued = (await service.events()).filter(({ type }) => type === 'communication.queued');
  expect(queued.map(({ data }) => data.to)).toEqual(['desk@work.example', 'zoe@example.com', 'zoe@example.com']);
  const asked = await service.asked('notifier', `/internal/communications/${id}/send-permission?attempt=1`);
  expect(await asked.json()).toMatchObject({ may_send: true, to: 'desk@work.example' });
  const other = said({ channel: 'EMAIL', sender: { email: 'desk@work.example' } });
  await taken(service, other);
  expect((await service.db('communications').where({ id: other.item_id }).first()).customer_id).toBeNull();
});

test('the messaging app writes where its window is open, and tells the window of that number alone', async () => {
  const phones = ['+447700900301', '+447700900302'];
  await service.put(staff, '/ops/customers/C-4', { name: 'Max Demo', phones });
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const [early, late] = [
    said({ sender: { phone: phones[0] as string }, occurred_at: ago(30) }),
    said({ sender: { phone: phones[1] as string }, occurred_at: ago(1) }),
  ];
  await taken(service, early, late);
  await service.forgetEvents();
  const text = { type: 'MESSAGING_APP', direction: 'OUTBOUND', body: 'Hello' };
  await create(text, '/ops/customers/C-4/communications');
  await create({ ...text, in_reply_to: early.item_id }, '/ops/customers/C-4/communications');
  const queued = (await service.events()).filter(({ type }) => type === 'communication.queued');
  expect(queued.map(({ data }) => [data.to, data.window_open_until])).toEqual([
    [phones[1], expect.any(String)],
    [phones[0], null],
  ]);
});

/** The number and the window that a text to this customer leaves with. */
async function leavesFor(customerId: string, answer: object = {}) {
  await service.forgetEvents();
  const text = { type: 'MESSAGING_APP', direction: 'OUTBOUND', body: 'Hello', ...answer };
  await create(text, `/ops/customers/${customerId}/communications`);
  const [queued] = (await service.events()).filter(({ type }) => type === 'communication.queued');
  return [queued?.data.to, queued?.data.window_open_until];
}
const shownFor = async (customerId: string) =>
  (await service.get<CustomerDetail>(staff, `/ops/customers/${customerId}`)).body.window_open_until;
const moveTo = (customer_id: string, id: string) =>
  service.post(staff, `/ops/communications/${id}/move`, { customer_id });

test("another's message that is moved into a log opens no window there, and does not hide the one that is open", async () => {
  const [theirs, first, second] = ['+447700900311', '+447700900312', '+447700900313'];
  await service.put(staff, '/ops/customers/C-5', { name: 'Kim Demo', phones: [theirs] });
  await service.put(staff, '/ops/customers/C-6', { name: 'Lee Demo', phones: [first, second] });
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const [brought, typed] = [
    said({ sender: { phone: theirs }, occurred_at: at(1) }),
    { type: 'MESSAGING_APP', direction: 'INBOUND', body: 'typed in by staff' },
  ];
  await taken(service, brought);
  const { id } = await create(typed, '/ops/customers/C-5/communications');
  for (const moved of [brought.item_id, id]) expect(await moveTo('C-6', moved)).toMatchObject({ status: 200 });
  expect(await leavesFor('C-6')).toEqual([first, null]);
  expect(await shownFor('C-6')).toBeNull();
  expect(await leavesFor('C-6', { in_reply_to: brought.item_id })).toEqual([first, null]);
  await taken(service, said({ sender: { phone: second }, occurred_at: at(2) }));
  const [to, until] = await leavesFor('C-6');
  expect([to, await shownFor('C-6')]).toEqual([second, until]);
  await moveTo('C-5', id);
  expect(await leavesFor('C-5')).toEqual([theirs, expect.any(String)]);
});
