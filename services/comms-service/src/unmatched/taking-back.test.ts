import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { deskOf, from } from '../../test/desk.ts';
import { said, taken } from '../../test/message.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';

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

test('taking a link back undoes all it did, and the sender is a stranger again', async () => {
  const [first, second] = [from(stranger), from(stranger)];
  await taken(service, first, second);
  await desk.link(first.item_id, ada);
  await service.patch(staff, `/ops/customers/${ada}/communications/read`);
  await service.forgetEvents();
  const { body } = await desk.unlink(second.item_id);
  expect(new Set(body.moved)).toEqual(new Set([first.item_id, second.item_id]));
  expect(body).toMatchObject({ identifier_learned: false, unmatched: { state: 'waiting', customer_id: null } });
  expect(await desk.log(ada)).toMatchObject({ unread_count: 0, data: [] });
  expect(await desk.timeline(ada)).toEqual([]);
  expect((await desk.customer(ada)).phones).toEqual([]);
  expect((await desk.history(first.item_id)).map(({ change }) => change)).toEqual(['unlinked', 'linked']);
  expect((await service.events()).map(({ type, data }) => [type, data.change, data.customer_id])).toEqual([
    ['communication.changed', 'unlinked', ada],
    ['communication.changed', 'unlinked', ada],
    ['customer.changed', undefined, ada],
  ]);
  expect(await desk.unlink(second.item_id)).toMatchObject({ status: 200, body: { moved: [] } });
  expect((await desk.link(second.item_id, bob)).body.moved).toHaveLength(2);
  expect(await desk.log(bob)).toMatchObject({ unread_count: 2 });
});

test('what a machine wrote waits for nobody, whoever it was filed to and taken from', async () => {
  const reply = from(stranger, { automatic: true });
  await taken(service, reply);
  await desk.link(reply.item_id, ada);
  await desk.unlink(reply.item_id);
  await desk.link(reply.item_id, bob);
  expect(await desk.log(bob)).toMatchObject({ unread_count: 0, data: [{ automatic: true, unread: false }] });
  expect(await desk.timeline(bob)).toEqual([]);
});

test('what was refiled since stays where it is, and the rest goes back', async () => {
  const [first, second] = [from(stranger), from(stranger)];
  await taken(service, first, second);
  await desk.link(first.item_id, ada);
  await service.post(staff, `/ops/communications/${first.item_id}/move`, { customer_id: bob });
  expect(await desk.unlink(first.item_id)).toMatchObject({ status: 409 });
  expect(await desk.unlink(second.item_id)).toMatchObject({ status: 200, body: { moved: [second.item_id] } });
  expect((await desk.log(bob)).unread_count).toBe(1);
});

test('what came later by nothing but the link is taken back with it, and so is what that taught', async () => {
  const first = from(stranger);
  await taken(service, first);
  await desk.link(first.item_id, ada);
  const user = `US.later-${turn}`;
  const [later, byId] = [
    from(stranger, { sender: { user_id: user, name: 'Zed' } }),
    said({ sender: { user_id: user } }),
  ];
  await taken(service, later);
  await taken(service, byId);
  const own = said({ channel: 'EMAIL', sender: { email: `ada${turn}@example.com` } });
  await taken(service, own);
  expect(await desk.log(ada)).toMatchObject({ unread_count: 4 });
  await service.forgetEvents();
  const { body } = await desk.unlink(first.item_id);
  expect(new Set(body.moved)).toEqual(new Set([first.item_id, later.item_id, byId.item_id]));
  expect(await desk.log(ada)).toMatchObject({ unread_count: 1, data: [{ id: own.item_id }] });
  expect(await desk.timeline(ada)).toHaveLength(1);
  expect(await desk.customer(ada)).toMatchObject({ phones: [], user_ids: [] });
  expect(await desk.find(later.item_id)).toMatchObject({
    state: 'waiting',
    reason: 'unknown',
    candidates: [],
    sender: { address: stranger, phone: stranger, user_id: user, name: 'Zed' },
  });
  expect((await desk.history(later.item_id)).map(({ change }) => change)).toEqual(['unlinked']);
  expect((await desk.link(later.item_id, bob)).body.moved).toHaveLength(3);
  expect((await desk.log(bob)).unread_count).toBe(3);
});

test('what came later stays if the firm knows the sender by itself, or if somebody refiled it', async () => {
  const first = from(stranger);
  await taken(service, first);
  await desk.link(first.item_id, ada);
  const refiled = from(stranger);
  await taken(service, refiled);
  for (const customer_id of [bob, ada])
    await service.post(staff, `/ops/communications/${refiled.item_id}/move`, { customer_id });
  await desk.put(ada, { name: 'Ada Demo', phones: [stranger] });
  const confirmed = from(stranger);
  await taken(service, confirmed);
  expect((await desk.unlink(first.item_id)).body.moved).toEqual([first.item_id]);
  expect((await desk.log(ada)).data.map(({ id }) => id)).toEqual([confirmed.item_id, refiled.item_id]);
});

test('a link taken back while messages of its sender arrive leaves none of them behind', async () => {
  const first = from(stranger);
  await taken(service, first);
  await desk.link(first.item_id, ada);
  const arriving = Array.from({ length: 20 }, () => from(stranger));
  await Promise.all([...arriving.map((message) => taken(service, message)), desk.unlink(first.item_id)]);
  expect(await desk.log(ada)).toMatchObject({ unread_count: 0, data: [] });
  const rows = await service.db('communications').whereIn(
    'id',
    arriving.map(({ item_id }) => item_id),
  );
  expect(rows.filter(({ customer_id }) => customer_id === null)).toHaveLength(20);
});
