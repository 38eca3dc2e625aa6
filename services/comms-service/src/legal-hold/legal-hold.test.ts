import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { LegalHold } from '@ops/contracts/resources/legal-hold';
import type { RetentionRun } from '@ops/contracts/resources/retention';
import { eventually } from '@ops/test-kit/eventually';
import { said, taken } from '../../test/message.ts';
import { type OtherServices, startOtherServices } from '../../test/other-services.ts';
import { admin, automation, staff, startTestService, type TestService } from '../../test/service.ts';
import { onLegalHold } from './legal-hold-service.ts';

let service: TestService;
let others: OtherServices;
/** Of each test its own. */
let id: string;

beforeAll(async () => {
  others = await startOtherServices();
  service = await startTestService({ ...others.settings, RETENTION_CRON: 'off' });
});
afterAll(async () => {
  await service.close();
  await others.close();
});
let turn = 0;
beforeEach(async () => {
  others.reset();
  await service.db('legal_holds').delete();
  turn += 1;
  id = await known(`C-${turn}`);
});

async function known(customer: string): Promise<string> {
  await service.put(staff, `/ops/customers/${customer}`, { name: 'Demo Customer' });
  return customer;
}

const of = (customer: string) => `/ops/customers/${customer}/legal-hold`;
const set = (on: boolean, reason: string, customer = id) =>
  service.put<LegalHold & Problem>(admin, of(customer), { on, reason });
const hold = async (customer = id) => (await service.get<LegalHold>(staff, of(customer))).body;
const history = async (customer = id) =>
  (await service.get<Page<AuditEntry>>(staff, `/ops/customers/${customer}/history`)).body.data.filter(
    ({ action }) => action === 'setLegalHold',
  );
const merge = (from: string, into: string) => service.post<Problem>(staff, `/ops/customers/${from}/merge`, { into });
const run = () => service.post<RetentionRun>(admin, '/ops/retention/runs');
const heldOf = async () => {
  others.reset();
  await run();
  return others.orders.map(({ held }) => held);
};

test('an admin puts a customer on hold and lifts it, with a reason, and all staff see since when, by whom and why', async () => {
  expect(await hold()).toEqual({ customer_id: id, on: false, reason: null, by: null, since: null });
  const { status, body } = await set(true, 'Court of Demo, 4 B 12');
  expect([status, body]).toEqual([200, await hold()]);
  expect(body).toMatchObject({ on: true, reason: 'Court of Demo, 4 B 12', by: 'chief-1', since: expect.any(String) });
  expect(await onLegalHold(service.db, id)).toBe(true);
  expect((await set(false, 'settled')).body).toMatchObject({ on: false, reason: null, since: null });
  expect(await onLegalHold(service.db, id)).toBe(false);
});

test('neither staff nor programs set it; programs do not see why it is so', async () => {
  for (const actor of [staff, automation])
    expect((await service.put(actor, of(id), { on: true, reason: 'x' })).status).toBe(403);
  expect((await service.get(automation, of(id))).status).toBe(403);
  expect((await hold()).on).toBe(false);
});

test('it is set once: the same again changes nothing, another reason is the reason from then on, and both are in the history', async () => {
  const first = (await set(true, 'first')).body;
  expect((await set(true, 'first')).body).toEqual(first);
  expect((await set(true, 'second')).body).toEqual({ ...first, reason: 'second' });
  await set(false, 'over');
  await set(false, 'over again');
  const changes = (await history()).map((entry) =>
    Object.fromEntries((entry.changes ?? []).map(({ field, old, new: now }) => [field, [old, now]])),
  );
  expect(changes).toEqual([
    { legal_hold: [true, false], legal_hold_because: ['second', 'over'] },
    { legal_hold_because: ['first', 'second'] },
    { legal_hold: [false, true], legal_hold_because: [null, 'first'] },
  ]);
});

test('of a customer there is not it says so, and of what is no reason too', async () => {
  expect((await set(true, 'x', 'C-none')).status).toBe(404);
  expect((await service.get(staff, of('C-none'))).status).toBe(404);
  expect((await set(true, '')).status).toBe(422);
});

test.each(['who stays', 'who goes'])(
  'a merge keeps %s on hold, by either id, and says so in the history',
  async (which) => {
    const other = await known(`C-${turn}-other`);
    await set(true, 'first', which === 'who stays' ? id : other);
    expect((await merge(other, id)).status).toBe(200);
    expect(await hold(id)).toMatchObject({ customer_id: id, on: true, reason: 'first' });
    expect(await hold(other)).toEqual(await hold(id));
    expect(await onLegalHold(service.db, other)).toBe(true);
    for (const held of await heldOf()) expect(held).toEqual([id, other].sort());
    const entries = (await service.get<Page<AuditEntry>>(staff, `/ops/customers/${id}/history`)).body.data;
    const merged = entries.find(
      ({ action, changes }) => action === 'mergeCustomer' && changes?.some(({ field }) => field === 'merged_from'),
    );
    const became = merged?.changes?.find(({ field }) => field === 'legal_hold');
    expect(became?.new).toBe(which === 'who goes' ? true : undefined);
  },
);

test('taken apart again, who was on hold before still is, and both are of whom it was said while they were one', async () => {
  const other = await known(`C-${turn}-other`);
  await set(true, 'first', other);
  await merge(other, id);
  await service.post(staff, `/ops/customers/${other}/unmerge`);
  expect([(await hold(id)).on, (await hold(other)).on]).toEqual([false, true]);
  await merge(other, id);
  await set(true, 'of both');
  await service.post(staff, `/ops/customers/${other}/unmerge`);
  expect([await hold(id), await hold(other)]).toMatchObject([
    { on: true, reason: 'of both' },
    { on: true, reason: 'of both' },
  ]);
  await merge(other, id);
  await set(false, 'over', other);
  await service.post(staff, `/ops/customers/${other}/unmerge`);
  expect([(await hold(id)).on, (await hold(other)).on]).toEqual([false, false]);
});

test('every service is told of whom nothing goes', async () => {
  expect(await heldOf()).toEqual([[], [], []]);
  await set(true, 'first');
  expect(await heldOf()).toEqual([[id], [id], [id]]);
  await set(false, 'over');
  expect(await heldOf()).toEqual([[], [], []]);
});

test('webhook-ingest is told what it took in of them: what they wrote and what they made of it later', async () => {
  const phone = '+447700900555';
  const [one, edit] = [said({ sender: { phone } }), said({ kind: 'edit', sender: { phone } })];
  edit.target_external_id = one.external_id;
  const strangers = said({ sender: { phone: '+447700900556' } });
  await service.put(staff, `/ops/customers/${id}`, { name: 'Demo Customer', phones: [phone] });
  await service.post(staff, `/ops/customers/${id}/communications`, { type: 'SMS', direction: 'INBOUND', body: 'Hi' });
  await taken(service, one, edit, strangers);
  await heldOf();
  expect(others.held).toEqual([]);
  await set(true, 'first');
  await heldOf();
  expect(others.held.toSorted()).toEqual([one.item_id, edit.item_id].toSorted());
});

test('while a run is under way nobody comes to be on hold, be it by a merge: it would take what was promised to stay', async () => {
  const other = await known(`C-${turn}-other`);
  await set(true, 'first', other);
  const waits = Promise.withResolvers<void>();
  others.hold = waits.promise;
  const running = run();
  await eventually(() => expect(others.orders).toHaveLength(1));
  const refused = await set(true, 'too late');
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('retention run is under way')]);
  expect((await merge(other, id)).status).toBe(409);
  expect((await set(false, 'over', other)).status).toBe(200);
  expect((await merge(other, id)).status).toBe(200);
  waits.resolve();
  expect((await running).body.status).toBe('completed');
  expect((await set(true, 'now')).status).toBe(200);
});

test('whoever shows the customer hears that it changed', async () => {
  await service.forgetEvents();
  await set(true, 'first');
  expect(
    (await service.events()).map(({ type, data }) => [type, (data as { customer_id: string }).customer_id]),
  ).toEqual([['customer.changed', id]]);
});
