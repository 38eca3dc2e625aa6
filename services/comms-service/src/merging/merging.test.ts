import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { CustomerCard } from '@ops/contracts/internal-routes';
import type { Page } from '@ops/contracts/pagination';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Customer, CustomerDetail, CustomerDuplicates } from '@ops/contracts/resources/customer';
import { inTransaction } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { deskOf, from } from '../../test/desk.ts';
import { taken } from '../../test/message.ts';
import {
  automation,
  customer as customerToken,
  staff,
  startTestService,
  type TestService,
} from '../../test/service.ts';
import { readCards } from '../customers/customer-service.ts';
import { writeTimeline } from '../timeline/timeline-service.ts';

let service: TestService;
let desk: ReturnType<typeof deskOf>;
let turn = 0;
/** Two who are one, and a third; each with a number of their own. */
let ada: string;
let eva: string;
let bob: string;
const phoneOf = (id: string) =>
  `+44770${id.startsWith('ada') ? 1 : id.startsWith('eva') ? 2 : 3}${String(turn).padStart(6, '0')}`;

beforeAll(async () => {
  service = await startTestService();
  desk = deskOf(service);
});
afterAll(() => service.close());
beforeEach(async () => {
  turn += 1;
  [ada, eva, bob] = [`ada-${turn}`, `eva-${turn}`, `bob-${turn}`];
  for (const id of [ada, eva, bob]) await desk.put(id, { name: `Demo ${id}`, phones: [phoneOf(id)] });
});

const merge = (id: string, into: string) => service.post<CustomerDetail>(staff, `/ops/customers/${id}/merge`, { into });
const unmerge = (id: string) => service.post<CustomerDetail>(staff, `/ops/customers/${id}/unmerge`);
const detail = async (id: string) => (await service.get<CustomerDetail>(staff, `/ops/customers/${id}`)).body;
const write = (id: string, rest: Parameters<typeof from>[1] = {}) => {
  const message = from(phoneOf(id), rest);
  return taken(service, message).then(() => message.item_id);
};
const logged = async (id: string, body: object) => {
  const answer = await service.post<Communication>(staff, `/ops/customers/${id}/communications`, body);
  expect(answer.status).toBe(201);
  return answer.body;
};
const pick = ({ customer_id, into, version }: { customer_id?: string; into?: string; version?: number }) => ({
  customer_id,
  version,
  ...(into !== undefined && { into }),
});
const idsIn = async (id: string) => (await desk.log(id)).data.map((one) => one.id).sort();
test('the old id leads to the one who stays, with all that was there; said again it is so once', async () => {
  const first = await write(ada);
  const other = await write(eva);
  const merged = await merge(ada, eva);
  expect(merged).toMatchObject({
    status: 200,
    body: { id: eva, merged_from: [ada], phones: [phoneOf(eva), phoneOf(ada)] },
  });
  expect(await detail(ada)).toEqual(await detail(eva));
  expect(await idsIn(ada)).toEqual([first, other].sort());
  expect((await desk.log(eva)).unread_count).toBe(2);
  expect((await desk.timeline(ada)).length).toBe(2);
  expect(await merge(ada, eva)).toMatchObject({ status: 200, body: { id: eva, version: merged.body.version } });
  expect(await service.db('customer_aliases').where({ customer_id: ada })).toMatchObject([{ version: 1 }]);
});

test('into themselves or an own other id 422, elsewhere 409, nobody 404; what leads on is followed to its end', async () => {
  expect(await merge(ada, ada)).toMatchObject({ status: 422, body: { errors: [{ path: 'into' }] } });
  expect(await merge(ada, 'nobody-here')).toMatchObject({ status: 404 });
  expect(await merge('nobody-here', ada)).toMatchObject({ status: 404 });
  expect(await unmerge('nobody-here')).toMatchObject({ status: 404 });
  await merge(ada, eva);
  expect(await merge(eva, ada)).toMatchObject({ status: 422 });
  expect(await merge(ada, bob)).toMatchObject({ status: 409, body: { code: 'merged_elsewhere' } });
  expect(await merge(bob, ada)).toMatchObject({ status: 200, body: { id: eva, merged_from: [ada, bob].sort() } });
  expect(await merge(bob, eva)).toMatchObject({ status: 200 });
  expect(await detail(bob)).toMatchObject({ id: eva });
});

test('taken back, each has what was theirs and what came under their id or address since; answers go with what they answer', async () => {
  const [before, evas] = [await write(ada), await write(eva)];
  await merge(ada, eva);
  const since = await write(ada);
  const answer = await logged(eva, { type: 'MESSAGING_APP', direction: 'OUTBOUND', body: 'Yes', in_reply_to: since });
  const byOldId = await service.post<Communication>(staff, `/ops/customers/${ada}/notes`, { body: 'Old id' });
  expect(byOldId.body.customer_id).toBe(eva);
  const byNewId = await service.post<Communication>(staff, `/ops/customers/${eva}/notes`, { body: 'New id' });
  expect((await idsIn(eva)).length).toBe(6);
  expect(await unmerge(ada)).toMatchObject({ status: 200, body: { id: ada, merged_from: [], phones: [phoneOf(ada)] } });
  expect(await idsIn(ada)).toEqual([before, since, answer.id, byOldId.body.id].sort());
  expect(await idsIn(eva)).toEqual([evas, byNewId.body.id].sort());
  expect((await desk.timeline(ada)).length).toBe(2);
  expect(await unmerge(ada)).toMatchObject({ status: 200, body: { id: ada } });
  expect((await merge(ada, eva)).status).toBe(200);
  expect((await idsIn(eva)).length).toBe(6);
});

test('what is sent to an address of the old id goes back with it', async () => {
  await service.put(staff, `/ops/customers/${eva}`, { name: 'No phone' });
  await merge(ada, eva);
  const sent = await logged(eva, { type: 'SMS', direction: 'OUTBOUND', body: 'To the number of ada' });
  await unmerge(ada);
  expect(await idsIn(ada)).toEqual([sent.id]);
});

test('a line of the timeline is of the id it was told of, or was made under', async () => {
  const line = (customer_id: string, more: object = {}) => ({
    specversion: '1.0' as const,
    id: uuidv7(),
    source: 'renewals-service',
    type: 'RENEWAL_COMPLETED' as const,
    subject: customer_id,
    time: '2026-03-01T12:00:00Z',
    data: { customer_id, occurred_at: '2026-03-01T12:00:00Z', renewal_id: uuidv7(), ...more },
  });
  const tell = (...lines: ReturnType<typeof line>[]) =>
    inTransaction(service.db, (trx) => writeTimeline(trx, lines as unknown as Parameters<typeof writeTimeline>[1]));
  await merge(ada, eva);
  const [oldId, newId, made] = [line(ada), line(eva), line(eva, { written_under: ada })];
  await tell(oldId, newId, made);
  expect((await desk.timeline(ada)).map(({ id }) => id).sort()).toEqual([oldId.id, newId.id, made.id].sort());
  await unmerge(ada);
  expect((await desk.timeline(ada)).map(({ id }) => id).sort()).toEqual([oldId.id, made.id].sort());
  expect((await desk.timeline(eva)).map(({ id }) => id)).toEqual([newId.id]);
});

test('a merge on top is taken back first, and after thirty days it stays', async () => {
  await merge(ada, eva);
  await merge(eva, bob);
  expect(await detail(ada)).toMatchObject({ id: bob, merged_from: [ada, eva].sort() });
  const refused = await unmerge(ada);
  expect(refused.status).toBe(409);
  expect(JSON.stringify(refused.body)).toContain(`${eva} was merged into ${bob} since; take that back first`);
  expect((await unmerge(eva)).body).toMatchObject({ id: eva, merged_from: [ada] });
  await service.db('customer_aliases').where({ customer_id: ada }).update({ merged_at: '2020-01-01T00:00:00Z' });
  const late = await unmerge(ada);
  expect(late.status).toBe(409);
  expect(JSON.stringify(late.body)).toContain('30 days');
});

test('what the one who stays lacks is filled, and taken back unless it was said anew; who is not to be contacted is not', async () => {
  await service.patch(staff, `/ops/customers/${ada}`, {
    locale: 'de',
    time_zone: 'Europe/Zurich',
    do_not_contact: true,
  });
  await service.patch(staff, `/ops/customers/${eva}`, { time_zone: 'Europe/London' });
  expect((await merge(ada, eva)).body).toMatchObject({
    name: `Demo ${eva}`,
    locale: 'de',
    time_zone: 'Europe/London',
    do_not_contact: true,
    sources: { locale: { source: 'staff' } },
  });
  await service.patch(staff, `/ops/customers/${bob}`, { do_not_contact: true });
  await merge(bob, eva);
  await unmerge(ada);
  const freed = await detail(eva);
  expect(freed).toMatchObject({ locale: null, time_zone: 'Europe/London', do_not_contact: true });
  expect(freed.sources.locale).toBeUndefined();
  expect(await detail(ada)).toMatchObject({ locale: 'de', do_not_contact: true });
  await unmerge(bob);
  expect(await detail(eva)).toMatchObject({ do_not_contact: false });
});

test('what is said anew of the one who stays is theirs when it is taken back, though it was filled with the same', async () => {
  await service.patch(staff, `/ops/customers/${ada}`, {
    do_not_contact: true,
    locale: 'de',
    time_zone: 'Europe/Zurich',
  });
  await merge(ada, eva);
  for (const said of [
    { do_not_contact: false, locale: 'fr' },
    { do_not_contact: true, locale: 'de' },
  ])
    expect((await service.patch(staff, `/ops/customers/${eva}`, said)).status).toBe(200);
  await unmerge(ada);
  expect(await detail(eva)).toMatchObject({ do_not_contact: true, locale: 'de', time_zone: null });
});

test('what is put under the old id, by people, systems or files, changes what came from it and nothing else', async () => {
  await service.put(automation, `/ops/customers/${ada}`, { name: 'Ada', phones: [phoneOf(ada)], locale: 'de' });
  await merge(ada, eva);
  const put = {
    name: 'Ada anew',
    phones: ['+447709000001'],
    locale: 'fr',
    time_zone: 'Europe/Paris',
    do_not_contact: true,
  };
  const answer = await service.put<CustomerDetail>(automation, `/ops/customers/${ada}`, put);
  // A person had given the first number: it stays.
  expect(answer.body).toMatchObject({
    id: eva,
    name: `Demo ${eva}`,
    locale: 'fr',
    time_zone: null,
    do_not_contact: true,
  });
  expect(answer.body.phones).toContain('+447709000001');
  expect(answer.body.phones[0]).toBe(phoneOf(eva));
  await service.put(automation, `/ops/customers/${eva}`, { name: `Demo ${eva}`, phones: [] });
  expect((await detail(eva)).phones).toEqual(answer.body.phones);
  await unmerge(ada);
  expect(await detail(ada)).toMatchObject({ name: expect.stringMatching(/^(Demo|Ada)/), time_zone: 'Europe/Paris' });
  expect(await detail(eva)).toMatchObject({ locale: null, do_not_contact: false, phones: [phoneOf(eva)] });
});

test('a person changes whom they see: which number is first, and which is none of theirs', async () => {
  await merge(ada, eva);
  const first = await service.patch<CustomerDetail>(staff, `/ops/customers/${ada}`, {
    name: 'One name',
    phones: [phoneOf(ada), phoneOf(eva)],
  });
  expect(first.body).toMatchObject({ id: eva, name: 'One name', phones: [phoneOf(ada), phoneOf(eva)] });
  const again = await service.put<CustomerDetail>(staff, `/ops/customers/${eva}`, {
    name: 'One name',
    phones: [phoneOf(ada), phoneOf(eva)],
  });
  expect(again.body.version).toBe(first.body.version);
  const since = await write(ada);
  await unmerge(ada);
  expect(await detail(eva)).toMatchObject({ phones: [phoneOf(eva)] });
  expect(await detail(ada)).toMatchObject({ phones: [phoneOf(ada)] });
  expect(await idsIn(ada)).toEqual([since]);
  await merge(ada, eva);
  await service.patch(staff, `/ops/customers/${eva}`, { phones: [phoneOf(eva)] });
  expect((await detail(eva)).phones).toEqual([phoneOf(eva)]);
});

test('of a version that is not the newest nothing is changed, whichever id it is asked by', async () => {
  await merge(ada, eva);
  const { version } = await detail(ada);
  const patch = (ifMatch: number) =>
    service.patch(staff, `/ops/customers/${ada}`, { name: 'Other' }, { 'If-Match': `"${ifMatch}"` });
  expect((await patch(version + 7)).status).toBe(412);
  expect((await patch(version)).status).toBe(200);
});

test('a customer of the old id reads nothing by it any more, the one who stays reads all', async () => {
  const message = await write(ada);
  await merge(ada, eva);
  const read = (token: string, id: string) =>
    service.get<Page<Communication>>(customerToken(token), `/ops/customers/${id}/communications`);
  expect((await read(ada, ada)).status).toBe(403);
  expect((await read(ada, eva)).status).toBe(403);
  expect((await read(eva, eva)).body.data.map(({ id }) => id)).toEqual([message]);
  await unmerge(ada);
  expect((await read(ada, ada)).status).toBe(200);
});

test('what waited because both have the number is claimed, and waits again', async () => {
  const shared = `+44771${String(turn).padStart(7, '0')}`;
  for (const id of [ada, eva]) await service.patch(staff, `/ops/customers/${id}`, { phones: [phoneOf(id), shared] });
  const message = from(shared);
  await taken(service, message);
  expect((await desk.find(message.item_id))?.reason).toBe('ambiguous');
  await merge(ada, eva);
  expect(await idsIn(eva)).toEqual([message.item_id]);
  const later = from(shared);
  await taken(service, later);
  expect((await idsIn(eva)).length).toBe(2);
  await unmerge(ada);
  expect(await idsIn(eva)).toEqual([later.item_id]);
  expect(await desk.find(message.item_id)).toMatchObject({
    state: 'waiting',
    candidates: [{ customer_id: ada }, { customer_id: eva }],
  });
});

test('lists and searches have the one who stays alone, and find them by the old id, name and number', async () => {
  await merge(ada, eva);
  const search = async (query: string) =>
    (await service.get<Page<Customer>>(staff, `/ops/customers?${query}`)).body.data.map(({ id }) => id);
  expect(await search(`query=${ada}`)).toEqual([eva]);
  expect(await search(`query=${encodeURIComponent(phoneOf(ada))}`)).toEqual([eva]);
  expect(await search(`ids=${ada},${eva}`)).toEqual([eva]);
  const assigned = await service.post(staff, '/ops/customers/assign', {
    customer_ids: [ada],
    assigned_agent: 'agent-1',
  });
  expect(assigned.body).toEqual({ data: [{ customer_id: ada, outcome: 'assigned' }] });
  expect(await detail(eva)).toMatchObject({ assigned_agent: 'agent-1' });
});

test('who may be the same person is found by number, address and name, and never one who is already', async () => {
  const twin = `twin-${turn}`;
  await desk.put(twin, { name: `DEMO  ${eva}`.replace('  ', ' '), phones: [phoneOf(eva)] });
  const found = async (id: string) =>
    (await service.get<CustomerDuplicates>(staff, `/ops/customers/${id}/duplicates`)).body.data;
  expect((await found(eva)).map(({ customer, because }) => [customer.id, because.map(({ kind }) => kind)])).toEqual([
    [twin, ['phone', 'name']],
  ]);
  await merge(twin, eva);
  expect(await found(eva)).toEqual([]);
  expect(await found(twin)).toEqual([]);
  expect((await service.get(staff, '/ops/customers/nobody-here/duplicates')).status).toBe(404);
});

test('others hear of it in order, and read who an id is from its card', async () => {
  const cards = async () =>
    (await readCards(service.db, [ada, eva])).map(({ id, name, merged }: CustomerCard) => ({ id, name, merged }));
  expect((await cards()).map(({ merged }) => merged)).toEqual([null, null]);
  await service.forgetEvents();
  await merge(ada, eva);
  expect(await cards()).toEqual([
    { id: ada, name: `Demo ${eva}`, merged: { into: eva, version: 1 } },
    { id: eva, name: `Demo ${eva}`, merged: null },
  ]);
  await unmerge(ada);
  expect(await cards()).toEqual([
    { id: ada, name: `Demo ${ada}`, merged: { into: null, version: 2 } },
    { id: eva, name: `Demo ${eva}`, merged: null },
  ]);
  expect((await service.events()).map(({ type, data }) => ({ type, ...pick(data as object) }))).toEqual([
    { type: 'customer.merged', customer_id: ada, into: eva, version: 1 },
    { type: 'customer.changed', customer_id: eva, version: 2 },
    { type: 'customer.merged', customer_id: ada, into: null, version: 2 },
    { type: 'customer.changed', customer_id: ada, version: 2 },
    { type: 'customer.changed', customer_id: eva, version: 3 },
  ]);
});

test('who merged and took back stands in the history of both', async () => {
  await merge(ada, eva);
  const history = async (id: string) =>
    (await service.get<Page<AuditEntry>>(staff, `/ops/customers/${id}/history`)).body.data.map(({ action }) => action);
  expect(await history(ada)).toEqual(await history(eva));
  expect((await history(eva)).filter((action) => action === 'mergeCustomer')).toHaveLength(2);
  await unmerge(ada);
  for (const id of [ada, eva]) expect((await history(id)).slice(0, 2)).toEqual(['unmergeCustomer', 'mergeCustomer']);
});

test('whoever writes while it is merged and taken back writes to where the id leads, and nothing is stranded', async () => {
  // No more than there are connections: whoever waits for one gives up after ten seconds, which a busy machine may take.
  const messages = Array.from({ length: 9 }, () => from(phoneOf(ada)));
  const notes = Array.from({ length: 6 }, (_, n) =>
    service.post<Communication>(staff, `/ops/customers/${ada}/notes`, { body: `Note ${n}` }),
  );
  const turns = (async () => {
    for (let n = 0; n < 4; n++) {
      expect((await merge(ada, eva)).status).toBe(200);
      expect((await unmerge(ada)).status).toBe(200);
    }
    expect((await merge(ada, eva)).status).toBe(200);
  })();
  const inbound = messages.map((message) => taken(service, message));
  const written = (await Promise.all(notes)).map(({ body }) => body.id);
  await Promise.all([turns, ...inbound]);
  const all = [...messages.map(({ item_id }) => item_id), ...written].sort();
  expect(
    (await service.get<Page<Communication>>(staff, `/ops/customers/${eva}/communications?limit=200`)).body.data
      .map(({ id }) => id)
      .sort(),
  ).toEqual(all);
  await unmerge(ada);
  expect(
    (await service.get<Page<Communication>>(staff, `/ops/customers/${ada}/communications?limit=200`)).body.data
      .map(({ id }) => id)
      .sort(),
  ).toEqual(all);
  expect((await desk.log(eva)).data).toEqual([]);
});

test('whoever waits goes on waiting, and is put off only if all who wait were; what was done before says nothing to the other', async () => {
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const attend = (id: string, patch: object) =>
    service.patch<{ state: string }>(staff, `/ops/customers/${id}/attention`, patch);
  await write(ada);
  await write(eva);
  await attend(eva, { state: 'done' });
  const waits = async (id: string) => {
    const { waiting_since, snoozed_until } = await detail(id);
    return { waits: waiting_since !== null, snoozed: snoozed_until !== null };
  };
  await merge(ada, eva);
  expect(await waits(eva)).toEqual({ waits: true, snoozed: false });
  await unmerge(ada);
  expect([await waits(ada), (await waits(eva)).waits]).toEqual([{ waits: true, snoozed: false }, false]);
  await write(eva);
  await attend(ada, { state: 'snoozed', until });
  await merge(ada, eva);
  expect(await waits(eva)).toEqual({ waits: true, snoozed: false });
  await unmerge(ada);
  for (const id of [ada, eva]) await attend(id, { state: 'snoozed', until });
  await merge(ada, eva);
  expect(await waits(eva)).toEqual({ waits: true, snoozed: true });
  await unmerge(ada);
  for (const id of [ada, eva]) expect(await waits(id)).toEqual({ waits: true, snoozed: true });
  await merge(ada, eva);
  await attend(eva, { state: 'done' });
  await unmerge(ada);
  for (const id of [ada, eva]) expect((await waits(id)).waits).toBe(false);
});
