import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Communication, HistoryEntry } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import type { LinkResult, Unmatched } from '@ops/contracts/resources/unmatched';
import { uuidv7 } from '@ops/test-kit/builders';
import { said, taken } from '../inbound/test-message.ts';
import { customer as asCustomer, automation, staff, startTestService, type TestService } from '../test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let tests = 0;
let stranger = '';
let ada = '';
let bob = '';

/** Every test has two customers and a stranger of its own. */
beforeEach(async () => {
  tests += 1;
  stranger = `+44770090${String(tests).padStart(4, '0')}`;
  ada = `ada-${tests}`;
  bob = `bob-${tests}`;
  await put(ada, { name: `Ada Demo ${tests}`, emails: [`ada${tests}@example.com`] });
  await put(bob, { name: `Bob Demo ${tests}` });
  await service.forgetEvents();
});

const put = (id: string, body: object) => service.put<Customer>(staff, `/ops/customers/${id}`, body);
const customer = async (id: string) => (await service.get<Customer>(staff, `/ops/customers/${id}`)).body;
type Log = Page<Communication> & { unread_count: number };
const log = async (id: string) => (await service.get<Log>(staff, `/ops/customers/${id}/communications?limit=200`)).body;
const timeline = async (id: string) =>
  (await service.get<Page<TimelineEvent>>(staff, `/ops/customers/${id}/timeline`)).body.data;
const history = async (id: string) =>
  (await service.get<Page<HistoryEntry>>(staff, `/ops/communications/${id}/history`)).body.data;
const link = (id: string, customer_id: string) =>
  service.post<LinkResult>(staff, `/ops/unmatched/${id}/link`, { customer_id });
const unlink = (id: string) => service.post<LinkResult>(staff, `/ops/unmatched/${id}/unlink`);
const listed = async (query = '') => (await service.get<Page<Unmatched>>(staff, `/ops/unmatched${query}`)).body.data;
const find = async (id: string, query = '?limit=200') => (await listed(query)).find((one) => one.id === id);

const from = (phone: string, rest: Parameters<typeof said>[0] = {}) =>
  said({ ...rest, sender: { phone, name: null, ...rest.sender } });

test('a stranger waits, is linked with all they wrote, and is known from then on', async () => {
  const [first, second] = [from(stranger), from(stranger, { body: 'Me again' })];
  await taken(service, first, second);
  expect(await find(first.item_id)).toMatchObject({
    ...{ type: 'MESSAGING_APP', reason: 'unknown', state: 'waiting', customer_id: null, candidates: [] },
    ...{ sender: { address: stranger, phone: stranger }, body: 'Hello', linked_by: null },
  });
  await service.forgetEvents();
  const { status, body } = await link(second.item_id, ada);
  expect(status).toBe(200);
  expect(body).toMatchObject({ identifier_learned: true, unmatched: { state: 'linked', customer_id: ada } });
  expect(new Set(body.moved)).toEqual(new Set([first.item_id, second.item_id]));
  expect(body.unmatched).toMatchObject({ linked_by: staff.sub, candidates: [] });
  expect(await log(ada)).toMatchObject({ unread_count: 2, data: [{ unread: true }, { unread: true }] });
  expect((await timeline(ada)).map(({ data }) => data.communication_id).sort()).toEqual(body.moved.toSorted());
  expect(await history(first.item_id)).toMatchObject([
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
  expect((await customer(ada)).phones).toEqual([stranger]);
  await taken(service, from(stranger));
  expect((await log(ada)).unread_count).toBe(3);
});

test('linking the same again changes nothing; elsewhere, to nobody or of nothing it is refused', async () => {
  const message = from(stranger);
  await taken(service, message);
  const { body: first } = await link(message.item_id, ada);
  await service.forgetEvents();
  expect(await link(message.item_id, ada)).toMatchObject({ status: 200, body: first });
  expect(await service.events()).toEqual([]);
  expect(await link(message.item_id, bob)).toMatchObject({ status: 409 });
  expect(await link(message.item_id, 'nobody')).toMatchObject({ status: 422 });
  expect(await link(uuidv7(), ada)).toMatchObject({ status: 404 });
  expect(await unlink(uuidv7())).toMatchObject({ status: 404 });
});

test('of many who link a message at once, one does', async () => {
  const message = from(stranger);
  await taken(service, message);
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => link(message.item_id, n % 2 ? ada : bob)));
  const owner = (await find(message.item_id, '?state=linked&limit=200'))?.customer_id;
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
  expect((await log(owner as string)).unread_count).toBe(1);
  expect(await service.db('communication_history').where({ communication_id: message.item_id })).toHaveLength(1);
});

test('taking a link back undoes all it did, and the sender is a stranger again', async () => {
  const [first, second] = [from(stranger), from(stranger)];
  await taken(service, first, second);
  await link(first.item_id, ada);
  await service.patch(staff, `/ops/customers/${ada}/communications/read`);
  await service.forgetEvents();
  const { body } = await unlink(second.item_id);
  expect(new Set(body.moved)).toEqual(new Set([first.item_id, second.item_id]));
  expect(body).toMatchObject({ identifier_learned: false, unmatched: { state: 'waiting', customer_id: null } });
  expect(await log(ada)).toMatchObject({ unread_count: 0, data: [] });
  expect(await timeline(ada)).toEqual([]);
  expect((await customer(ada)).phones).toEqual([]);
  expect((await history(first.item_id)).map(({ change }) => change)).toEqual(['unlinked', 'linked']);
  expect((await service.events()).map(({ type, data }) => [type, data.change, data.customer_id])).toEqual([
    ['communication.changed', 'unlinked', ada],
    ['communication.changed', 'unlinked', ada],
    ['customer.changed', undefined, ada],
  ]);
  expect(await unlink(second.item_id)).toMatchObject({ status: 200, body: { moved: [] } });
  expect((await link(second.item_id, bob)).body.moved).toHaveLength(2);
  expect(await log(bob)).toMatchObject({ unread_count: 2 });
});

test('what was refiled since stays where it is, and the rest goes back', async () => {
  const [first, second] = [from(stranger), from(stranger)];
  await taken(service, first, second);
  await link(first.item_id, ada);
  await service.post(staff, `/ops/communications/${first.item_id}/move`, { customer_id: bob });
  expect(await unlink(first.item_id)).toMatchObject({ status: 409 });
  expect(await unlink(second.item_id)).toMatchObject({ status: 200, body: { moved: [second.item_id] } });
  expect((await log(bob)).unread_count).toBe(1);
});

test('an identifier of two customers is ambiguous, names both, and is not learned', async () => {
  await put(ada, { name: 'Ada Demo', phones: [stranger] });
  await put(bob, { name: 'Bob Demo', phones: [stranger] });
  const message = from(stranger, { sender: { user_id: `US.${tests}` } });
  await taken(service, message);
  const found = await find(message.item_id);
  expect(found).toMatchObject({
    reason: 'ambiguous',
    candidates: [
      { customer_id: ada, name: 'Ada Demo', because: 'identifier' },
      { customer_id: bob, name: 'Bob Demo', because: 'identifier' },
    ],
  });
  expect((await link(message.item_id, bob)).body).toMatchObject({ identifier_learned: false });
  expect((await customer(bob)).user_ids).toEqual([]);
  const next = from(stranger);
  await taken(service, next);
  expect(await find(next.item_id)).toMatchObject({ state: 'waiting' });
});

test('who answers a message to somebody, or is called like somebody, may be them, and is never taken for them', async () => {
  const sent = await service.post<Communication>(staff, `/ops/customers/${bob}/communications`, {
    ...{ type: 'EMAIL', direction: 'OUTBOUND', body: 'Your permit' },
  });
  const token = sent.body.id.replaceAll('-', '');
  const sender = { email: `somebody${tests}@example.com`, name: `ADA demo ${tests}` };
  const message = said({ channel: 'EMAIL', sender, answers: { token } });
  await taken(service, message);
  expect((await find(message.item_id))?.candidates).toEqual([
    { customer_id: bob, name: `Bob Demo ${tests}`, because: 'reply' },
    { customer_id: ada, name: `Ada Demo ${tests}`, because: 'name' },
  ]);
  await link(message.item_id, bob);
  expect((await log(bob)).data).toContainEqual(
    expect.objectContaining({ id: message.item_id, in_reply_to: sent.body.id }),
  );
});

test('a customer who is given the identifier claims what waits, in the same change', async () => {
  const [first, other] = [from(stranger), from(stranger, { channel: 'SMS' })];
  await taken(service, first, other);
  const { body } = await put(bob, { name: 'Bob Demo', phones: [stranger] });
  expect(body.unread_count).toBe(2);
  expect(await find(first.item_id, '?state=linked&limit=200')).toMatchObject({ customer_id: bob, linked_by: null });
  expect(await history(first.item_id)).toMatchObject([{ change: 'linked', actor: null }]);
  expect(await timeline(bob)).toHaveLength(2);
  expect((await service.events()).filter(({ type }) => type === 'customer.changed')).toHaveLength(1);
});

test('a customer who shares the identifier claims nothing; nor does a change of the name of one it was taken back from', async () => {
  const message = from(stranger);
  await taken(service, message);
  await put(ada, { name: 'Ada Demo', phones: [stranger] });
  expect((await unlink(message.item_id)).body.moved).toEqual([message.item_id]);
  await put(ada, { name: 'Ada Example', phones: [stranger] });
  expect(await find(message.item_id)).toMatchObject({ state: 'waiting', candidates: [{ customer_id: ada }] });
  await put(bob, { name: 'Bob Demo', phones: [stranger] });
  expect((await log(bob)).data).toEqual([]);
});

test('linking by one channel brings along what waited for the same number on another', async () => {
  const [chat, sms] = [from(stranger), from(stranger, { channel: 'SMS' })];
  await taken(service, chat, sms);
  expect(new Set((await link(chat.item_id, ada)).body.moved)).toEqual(new Set([chat.item_id, sms.item_id]));
  expect(new Set((await unlink(sms.item_id)).body.moved)).toEqual(new Set([chat.item_id, sms.item_id]));
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
  expect(await listed('?type=EMAIL&state=linked&limit=200')).not.toContainEqual(
    expect.objectContaining({ type: 'SMS' }),
  );
  for (const actor of [automation, asCustomer(ada)])
    expect(await service.get(actor, '/ops/unmatched')).toMatchObject({ status: 403 });
});

test('an opt-out of a stranger counts for whom it is linked to, as long as it is', async () => {
  const message = from(stranger, { body: ' stop. ' });
  await taken(service, message);
  await link(message.item_id, ada);
  expect((await customer(ada)).opted_out).toEqual(['MESSAGING_APP']);
  await unlink(message.item_id);
  expect((await customer(ada)).opted_out).toEqual([]);
});

test('what came later by nothing but the link is taken back with it, and so is what that taught', async () => {
  const first = from(stranger);
  await taken(service, first);
  await link(first.item_id, ada);
  const user = `US.later-${tests}`;
  const [later, byId] = [
    from(stranger, { sender: { user_id: user, name: 'Zed' } }),
    said({ sender: { user_id: user } }),
  ];
  await taken(service, later);
  await taken(service, byId);
  const own = said({ channel: 'EMAIL', sender: { email: `ada${tests}@example.com` } });
  await taken(service, own);
  expect(await log(ada)).toMatchObject({ unread_count: 4 });
  await service.forgetEvents();
  const { body } = await unlink(first.item_id);
  expect(new Set(body.moved)).toEqual(new Set([first.item_id, later.item_id, byId.item_id]));
  expect(await log(ada)).toMatchObject({ unread_count: 1, data: [{ id: own.item_id }] });
  expect(await timeline(ada)).toHaveLength(1);
  expect(await customer(ada)).toMatchObject({ phones: [], user_ids: [] });
  expect(await find(later.item_id)).toMatchObject({
    ...{ state: 'waiting', reason: 'unknown', candidates: [] },
    sender: { address: stranger, phone: stranger, user_id: user, name: 'Zed' },
  });
  expect((await history(later.item_id)).map(({ change }) => change)).toEqual(['unlinked']);
  expect((await link(later.item_id, bob)).body.moved).toHaveLength(3);
  expect((await log(bob)).unread_count).toBe(3);
});

test('what came later stays if the firm knows the sender by itself, or if somebody refiled it', async () => {
  const first = from(stranger);
  await taken(service, first);
  await link(first.item_id, ada);
  const refiled = from(stranger);
  await taken(service, refiled);
  for (const customer_id of [bob, ada])
    await service.post(staff, `/ops/communications/${refiled.item_id}/move`, { customer_id });
  await put(ada, { name: 'Ada Demo', phones: [stranger] });
  const confirmed = from(stranger);
  await taken(service, confirmed);
  expect((await unlink(first.item_id)).body.moved).toEqual([first.item_id]);
  expect((await log(ada)).data.map(({ id }) => id)).toEqual([confirmed.item_id, refiled.item_id]);
});

test('a link taken back while messages of its sender arrive leaves none of them behind', async () => {
  const first = from(stranger);
  await taken(service, first);
  await link(first.item_id, ada);
  const arriving = Array.from({ length: 20 }, () => from(stranger));
  await Promise.all([...arriving.map((message) => taken(service, message)), unlink(first.item_id)]);
  expect(await log(ada)).toMatchObject({ unread_count: 0, data: [] });
  const rows = await service.db('communications').whereIn(
    'id',
    arriving.map(({ item_id }) => item_id),
  );
  expect(rows.filter(({ customer_id }) => customer_id === null)).toHaveLength(20);
});
