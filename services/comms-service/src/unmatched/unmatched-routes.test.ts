import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Unmatched } from '@ops/contracts/resources/unmatched';
import { uuidv7 } from '@ops/test-kit/builders';
import { deskOf, from } from '../../test/desk.ts';
import { said, taken } from '../../test/message.ts';
import { customer as asCustomer, automation, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let desk: ReturnType<typeof deskOf>;

beforeAll(async () => {
  service = await startTestService();
  desk = deskOf(service);
});
afterAll(() => service.close());

let turn = 0;
let stranger = '';
let ada = '';
let bob = '';

beforeEach(async () => {
  ({ turn, stranger, ada, bob } = await desk.people());
  await service.forgetEvents();
});

test('a stranger waits, is linked with all they wrote, and is known from then on', async () => {
  const claimed_at = '2015-01-15T10:00:00.000000Z';
  const [first, second] = [from(stranger, { claimed_at }), from(stranger, { body: 'Me again' })];
  await taken(service, first, second);
  expect(await desk.find(first.item_id)).toMatchObject({
    type: 'MESSAGING_APP',
    reason: 'unknown',
    state: 'waiting',
    customer_id: null,
    candidates: [],
    sender: { address: stranger, phone: stranger },
    body: 'Hello',
    claimed_at,
    linked_by: null,
  });
  await service.forgetEvents();
  const { status, body } = await desk.link(second.item_id, ada);
  expect(status).toBe(200);
  expect(body).toMatchObject({ identifier_learned: true, unmatched: { state: 'linked', customer_id: ada } });
  expect(new Set(body.moved)).toEqual(new Set([first.item_id, second.item_id]));
  expect(body.unmatched).toMatchObject({ linked_by: staff.sub, candidates: [] });
  expect(await desk.log(ada)).toMatchObject({ unread_count: 2, data: [{ unread: true }, { unread: true }] });
  expect((await desk.timeline(ada)).map(({ data }) => data.communication_id).sort()).toEqual(body.moved.toSorted());
  expect(await desk.history(first.item_id)).toMatchObject([
    { change: 'linked', actor: staff.sub, details: { customer_id: ada } },
  ]);
  const events = await service.events();
  expect(events.map(({ type, data }) => [type, data.change, data.customer_id])).toEqual([
    ...[...body.moved].flatMap(() => [
      ['COMMUNICATION_RECEIVED', undefined, ada],
      ['communication.changed', 'linked', ada],
    ]),
    ['customer.changed', undefined, ada],
  ]);
  expect((await desk.customer(ada)).phones).toEqual([stranger]);
  await taken(service, from(stranger));
  expect((await desk.log(ada)).unread_count).toBe(3);
});

test('linking the same again changes nothing; elsewhere, to nobody or of nothing it is refused', async () => {
  const message = from(stranger);
  await taken(service, message);
  const { body: first } = await desk.link(message.item_id, ada);
  await service.forgetEvents();
  expect(await desk.link(message.item_id, ada)).toMatchObject({ status: 200, body: first });
  expect(await service.events()).toEqual([]);
  expect(await desk.link(message.item_id, bob)).toMatchObject({ status: 409 });
  expect(await desk.link(message.item_id, 'nobody')).toMatchObject({ status: 422 });
  expect(await desk.link(uuidv7(), ada)).toMatchObject({ status: 404 });
  expect(await desk.unlink(uuidv7())).toMatchObject({ status: 404 });
});

test('of many who link a message at once, one does', async () => {
  const message = from(stranger);
  await taken(service, message);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => desk.link(message.item_id, n % 2 ? ada : bob)),
  );
  const owner = (await desk.find(message.item_id, '?state=linked&limit=200'))?.customer_id;
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
  expect((await desk.log(owner as string)).unread_count).toBe(1);
  expect(await service.db('communication_history').where({ communication_id: message.item_id })).toHaveLength(1);
});

test('an identifier of two customers is ambiguous, names both, and is not learned', async () => {
  await desk.put(ada, { name: 'Ada Demo', phones: [stranger] });
  await desk.put(bob, { name: 'Bob Demo', phones: [stranger] });
  const message = from(stranger, { sender: { user_id: `US.${turn}` } });
  await taken(service, message);
  const found = await desk.find(message.item_id);
  expect(found).toMatchObject({
    reason: 'ambiguous',
    candidates: [
      { customer_id: ada, name: 'Ada Demo', because: 'identifier' },
      { customer_id: bob, name: 'Bob Demo', because: 'identifier' },
    ],
  });
  expect((await desk.link(message.item_id, bob)).body).toMatchObject({ identifier_learned: false });
  expect((await desk.customer(bob)).user_ids).toEqual([]);
  const next = from(stranger);
  await taken(service, next);
  expect(await desk.find(next.item_id)).toMatchObject({ state: 'waiting' });
});

test('who answers a message to somebody, or is called like somebody, may be them, and is never taken for them', async () => {
  const sent = await service.post<Communication>(staff, `/ops/customers/${bob}/communications`, {
    type: 'EMAIL',
    direction: 'OUTBOUND',
    body: 'Your permit',
  });
  const token = sent.body.id.replaceAll('-', '');
  const sender = { email: `somebody${turn}@example.com`, name: `ADA demo ${turn}` };
  const message = said({ channel: 'EMAIL', sender, answers: { token } });
  await taken(service, message);
  expect((await desk.find(message.item_id))?.candidates).toEqual([
    { customer_id: bob, name: `Bob Demo ${turn}`, because: 'reply' },
    { customer_id: ada, name: `Ada Demo ${turn}`, because: 'name' },
  ]);
  await desk.link(message.item_id, bob);
  expect((await desk.log(bob)).data).toContainEqual(
    expect.objectContaining({ id: message.item_id, in_reply_to: sent.body.id }),
  );
});

test('a customer who is given the identifier claims what waits, in the same change', async () => {
  const [first, other] = [from(stranger), from(stranger, { channel: 'SMS' })];
  await taken(service, first, other);
  const { body } = await desk.put(bob, { name: 'Bob Demo', phones: [stranger] });
  expect(body.unread_count).toBe(2);
  expect(await desk.find(first.item_id, '?state=linked&limit=200')).toMatchObject({
    customer_id: bob,
    linked_by: null,
  });
  expect(await desk.history(first.item_id)).toMatchObject([{ change: 'linked', actor: null }]);
  expect(await desk.timeline(bob)).toHaveLength(2);
  expect((await service.events()).filter(({ type }) => type === 'customer.changed')).toHaveLength(1);
});

test('a customer who shares the identifier claims nothing; nor does a change of the name of one it was taken back from', async () => {
  const message = from(stranger);
  await taken(service, message);
  await desk.put(ada, { name: 'Ada Demo', phones: [stranger] });
  expect((await desk.unlink(message.item_id)).body.moved).toEqual([message.item_id]);
  await desk.put(ada, { name: 'Ada Example', phones: [stranger] });
  expect(await desk.find(message.item_id)).toMatchObject({ state: 'waiting', candidates: [{ customer_id: ada }] });
  await desk.put(bob, { name: 'Bob Demo', phones: [stranger] });
  expect((await desk.log(bob)).data).toEqual([]);
});

test('linking by one channel brings along what waited for the same number on another', async () => {
  const [chat, sms] = [from(stranger), from(stranger, { channel: 'SMS' })];
  await taken(service, chat, sms);
  expect(new Set((await desk.link(chat.item_id, ada)).body.moved)).toEqual(new Set([chat.item_id, sms.item_id]));
  expect(new Set((await desk.unlink(sms.item_id)).body.moved)).toEqual(new Set([chat.item_id, sms.item_id]));
});

test('pages follow each other newest first, by state and type, for staff alone', async () => {
  const days = [3, 1, 2].map((day) => `2026-01-0${day}T00:00:00Z`);
  const messages = days.map((occurred_at) => from(stranger, { channel: 'SMS', occurred_at }));
  await taken(service, ...messages);
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const path = `/ops/unmatched?type=SMS&limit=1${cursor ? `&cursor=${cursor}` : ''}`;
    const { body } = await service.get<Page<Unmatched>>(staff, path);
    seen.push(...body.data.map(({ id }) => id));
    cursor = body.next_cursor;
  }
  expect(seen.filter((id) => messages.some(({ item_id }) => item_id === id))).toEqual(
    [0, 2, 1].map((index) => messages[index]?.item_id),
  );
  expect(await desk.listed('?type=EMAIL&state=linked&limit=200')).not.toContainEqual(
    expect.objectContaining({ type: 'SMS' }),
  );
  for (const actor of [automation, asCustomer(ada)])
    expect(await service.get(actor, '/ops/unmatched')).toMatchObject({ status: 403 });
});

test('an opt-out of a stranger counts for whom it is linked to, as long as it is', async () => {
  const message = from(stranger, { body: ' stop. ' });
  await taken(service, message);
  await desk.link(message.item_id, ada);
  expect((await desk.customer(ada)).opted_out).toEqual(['MESSAGING_APP']);
  await desk.unlink(message.item_id);
  expect((await desk.customer(ada)).opted_out).toEqual([]);
});

test('who wrote is found by any part of their number, address or name, in each state', async () => {
  const sms = from(stranger, { channel: 'SMS', sender: { name: `Zoë Stränger ${turn}` } });
  const mail = said({ channel: 'EMAIL', sender: { email: `Zoe.${turn}@elsewhere.example`, name: null } });
  await taken(service, sms, mail);
  const found = async (q: string, more = '') =>
    (await desk.listed(`?q=${encodeURIComponent(q)}${more}`)).map(({ id }) => id);
  const [spaced, national] = [
    `${stranger.slice(0, 3)} ${stranger.slice(3, 7)} ${stranger.slice(7)}`,
    stranger.slice(3),
  ];
  for (const q of [stranger, spaced, `0${national}`, stranger.slice(-6), `stranger ${turn}`, `ZOE stranger ${turn}`])
    expect([q, await found(q)]).toEqual([q, [sms.item_id]]);
  for (const q of [`zoe.${turn}@`, `.${turn}@ELSEWHERE.example`])
    expect([q, await found(q)]).toEqual([q, [mail.item_id]]);
  expect(await found(`${stranger}0`)).toEqual([]);
  expect(await found(`' | !x:* \\ ${turn}`)).toEqual([]);
  await desk.link(sms.item_id, ada);
  expect(await found(stranger)).toEqual([]);
  expect(await found(stranger, '&state=linked')).toEqual([sms.item_id]);
});

test('one is read whatever became of it; of what there is not, it is said', async () => {
  const message = from(stranger);
  await taken(service, message);
  const one = (id: string, who = staff) => service.get<Unmatched>(who, `/ops/unmatched/${id}`);
  expect((await one(message.item_id)).body).toEqual(await desk.find(message.item_id));
  await desk.link(message.item_id, ada);
  expect((await one(message.item_id)).body).toMatchObject({ state: 'linked', customer_id: ada });
  expect(await one(uuidv7())).toMatchObject({ status: 404 });
  expect(await one(message.item_id, automation)).toMatchObject({ status: 403 });
});
