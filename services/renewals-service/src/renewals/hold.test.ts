import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Problem } from '@ops/contracts/problem';
import type { Foreseen } from '@ops/contracts/resources/refresh';
import type { Renewal, RenewalDetail } from '@ops/contracts/resources/renewal';
import { inTransaction } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { alerted, at, inDays } from '../../test/renewals.ts';
import { firstDay, staff, startTestService, type TestService } from '../../test/service.ts';
import { type Changed, changed, type Planned, planned } from '../../test/statements-told.ts';
import { takeMessages, takeOutcomes } from '../alert-outcomes/alert-service.ts';

let service: TestService;
let renewals: ReturnType<typeof at>;

beforeAll(async () => {
  service = await startTestService();
  renewals = at(service);
  service.customers.add({ id: 'C-1' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.empty();
  service.clock.set(`${firstDay}T12:00:00Z`);
});

const holdOf = async (id: string) => (await service.get<RenewalDetail>(staff, `/ops/renewals/${id}`)).body.hold;
const acknowledge = <T = Renewal>(id: string, until: string, more: object = {}) =>
  service.patch<T>(staff, `/ops/renewals/${id}/acknowledge`, { until, ...more });

/** What comms-service tells of a message from the customer; each time it is told later than before. */
const hear = (said: Partial<Changed> & Pick<Changed, 'communication_id' | 'renewal_id'>) => {
  const now = service.clock.now().toISOString();
  const message = { direction: 'INBOUND' as const, status: 'RECEIVED' as const, written_at: now, ...said };
  return inTransaction(service.db, (trx) => takeMessages(service.deps, trx, [changed(message, now)]));
};

/** The customer writes about it. */
async function answer(renewal_id: string, said: Partial<Changed> = {}): Promise<string> {
  const communication_id = uuidv7();
  await hear({ communication_id, renewal_id, ...said });
  return communication_id;
}

const held = { reason: { code: 'held', message: 'somebody is at it' }, outcome: 'not_sent' as const };
const learn = (said: Partial<Planned> & Pick<Planned, 'renewal_id' | 'due_date' | 'rung'>) =>
  inTransaction(service.db, (trx) =>
    takeOutcomes(service.deps, trx, [planned({ ...held, ...said }, service.clock.now().toISOString())]),
  );

const refresh = () => service.post<{ counts: { fired: number } }>(staff, '/ops/renewals/refresh');
const on = (date: string) => service.clock.set(`${date}T12:00:00Z`);
const told = async (type: string) => (await service.events()).filter((event) => event.type === type);
const steps = async (id: string) =>
  service.db('alerts').where({ renewal_id: id, state: 'FIRED' }).orderBy('decided_at').select('rung', 'step');

test('started: until it is released, also when it is overdue by now', async () => {
  const { id } = await renewals.create({ due_date: inDays(service, 1) });
  await renewals.move(id, 'start');
  expect(await holdOf(id)).toEqual({ because: 'started', until: null });
  on('2026-03-05');
  await refresh();
  expect(await renewals.row(id)).toMatchObject({ status: 'OVERDUE' });
  expect(await holdOf(id)).toEqual({ because: 'started', until: null });
  await renewals.move(id, 'release');
  expect(await holdOf(id)).toBeNull();
});

test('answered: fourteen days, from any message of the customer that a person wrote', async () => {
  const { id } = await renewals.create({ due_date: inDays(service, 60) });
  await answer(id, { direction: 'OUTBOUND' });
  await answer(id, { automatic: true });
  expect(await holdOf(id)).toBeNull();
  await service.forgetEvents();
  await answer(id);
  expect(await holdOf(id)).toEqual({ because: 'answered', until: '2026-03-16' });
  expect(await told('renewal.changed')).toMatchObject([
    { data: { renewal_id: id, change: 'changed', hold: { because: 'answered', until: '2026-03-16' }, version: 2 } },
  ]);
  on('2026-03-10');
  await answer(id);
  expect(await holdOf(id)).toEqual({ because: 'answered', until: '2026-03-24' });
  on('2026-03-23');
  expect(await holdOf(id)).not.toBeNull();
  on('2026-03-24');
  expect(await holdOf(id)).toBeNull();
});

test('answered: not beyond the day on which the rung of 14 is reached, and from then on not at all', async () => {
  const near = await renewals.create({ due_date: inDays(service, 20) });
  await answer(near.id);
  expect(await holdOf(near.id)).toEqual({ because: 'answered', until: inDays(service, 6) });
  const nearer = await renewals.create({ due_date: inDays(service, 14) });
  await answer(nearer.id);
  expect(await holdOf(nearer.id)).toBeNull();
});

test('an answer that is moved or taken away takes its hold along, and no other', async () => {
  const [one, other] = [await renewals.create(), await renewals.create()];
  const first = await answer(one.id);
  on('2026-03-04');
  const second = await answer(one.id);
  await hear({ communication_id: second, renewal_id: other.id, change: 'moved' });
  expect(await holdOf(one.id)).toEqual({ because: 'answered', until: '2026-03-16' });
  expect(await holdOf(other.id)).toEqual({ because: 'answered', until: '2026-03-18' });
  await hear({ communication_id: first, renewal_id: one.id, change: 'unlinked' });
  await hear({ communication_id: second, renewal_id: null, change: 'moved' });
  expect([await holdOf(one.id), await holdOf(other.id)]).toEqual([null, null]);
});

test('an answer about several renewals holds each of them, and each is free of it by itself', async () => {
  const [one, two, three] = [await renewals.create(), await renewals.create(), await renewals.create()];
  const told = { renewal_ids: [one.id, two.id, three.id] };
  const id = await answer(one.id, told);
  const held = { because: 'answered', until: '2026-03-16' };
  expect([await holdOf(one.id), await holdOf(two.id), await holdOf(three.id)]).toEqual([held, held, held]);
  await renewals.move(two.id, 'release');
  await hear({ communication_id: id, renewal_id: three.id, renewal_ids: [three.id, two.id], change: 'amended' });
  expect([await holdOf(one.id), await holdOf(two.id), await holdOf(three.id)]).toEqual([null, null, held]);
  const shown = await service.get<RenewalDetail>(staff, `/ops/renewals/${two.id}`);
  expect(shown.body.messages).toMatchObject([{ communication_id: id }]);
  await hear({ communication_id: id, renewal_id: three.id, renewal_ids: [three.id, two.id], change: 'unlinked' });
  expect([await holdOf(two.id), await holdOf(three.id)]).toEqual([null, null]);
});

test('acknowledged: with a note, by whom, once, and first among what holds it; free when all of it is over', async () => {
  const { id } = await renewals.create({ due_date: inDays(service, 100) });
  await answer(id);
  const until = inDays(service, 60);
  const first = await acknowledge(id, until, { note: 'Waits for the embassy' });
  expect(first).toMatchObject({ status: 200, body: { hold: { because: 'acknowledged', until }, version: 3 } });
  expect(first.body.acknowledged).toMatchObject({ until, note: 'Waits for the embassy', by: staff.sub });
  expect((await acknowledge(id, until, { note: 'Waits for the embassy' })).body.version).toBe(3);
  const shorter = await acknowledge(id, inDays(service, 3));
  expect(shorter.body.hold).toEqual({ because: 'acknowledged', until: '2026-03-16' });
  await renewals.move(id, 'start');
  expect(await holdOf(id)).toEqual({ because: 'started', until: null });
  const free = await renewals.move(id, 'release');
  expect(free.body).toMatchObject({ hold: null, acknowledged: null, status: 'IN_PROGRESS' });
});

test.each([
  ['today', 0, 'must be after today'],
  ['61 days ahead', 61, 'must not be after 2026-05-01, 60 days from today'],
  ['after the due date', 91, 'must not be after the due date'],
])('acknowledged until %s: refused by name', async (_, days, message) => {
  const { id } = await renewals.create({ due_date: inDays(service, days === 61 ? 100 : 90) });
  const refused = await acknowledge<Problem>(id, inDays(service, days));
  expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  expect(refused.body.errors).toEqual([{ path: 'until', message: expect.stringContaining(message) }]);
});

test('an overdue or closed one is not acknowledged, and a stale version neither', async () => {
  const late = await renewals.create({ due_date: inDays(service, -3) });
  await alerted(service, late, ['OVERDUE']);
  expect(await acknowledge(late.id, inDays(service, 1))).toMatchObject({ status: 422, body: { code: 'overdue' } });
  const { id } = await renewals.create();
  const stale = { 'if-match': '"7"' };
  const path = `/ops/renewals/${id}/acknowledge`;
  expect(await service.patch(staff, path, { until: inDays(service, 5) }, stale)).toMatchObject({ status: 412 });
  await renewals.move(id, 'cancel');
  expect(await acknowledge(id, inDays(service, 5))).toMatchObject({ status: 409 });
});

test('a release ends all in force, and what is answered afterwards holds again', async () => {
  const { id } = await renewals.create({ due_date: inDays(service, 60) });
  await answer(id);
  await acknowledge(id, inDays(service, 30));
  await renewals.move(id, 'release');
  expect(await holdOf(id)).toBeNull();
  const later = await answer(id);
  expect(await holdOf(id)).toEqual({ because: 'answered', until: '2026-03-16' });
  await hear({ communication_id: later, renewal_id: id, change: 'unlinked' });
  expect(await holdOf(id)).toBeNull();
});

test('another date ends what was answered and acknowledged, and not that it was started', async () => {
  const { id } = await renewals.create({ due_date: inDays(service, 60) });
  await answer(id);
  await acknowledge(id, inDays(service, 30));
  const moved = await renewals.change(id, { due_date: inDays(service, 61) });
  expect(moved.body).toMatchObject({ hold: null, acknowledged: null });
  await renewals.move(id, 'start');
  await renewals.change(id, { due_date: inDays(service, 62) });
  expect(await holdOf(id)).toEqual({ because: 'started', until: null });
});

test('what is closed is held by nothing, and by the same again when it is reopened', async () => {
  const { id } = await renewals.create({ due_date: inDays(service, 60) });
  await answer(id);
  for (const move of ['complete', 'cancel'] as const) {
    await renewals.move(id, move);
    expect(await holdOf(id)).toBeNull();
    await renewals.move(id, 'reopen');
    expect(await holdOf(id)).toEqual({ because: 'answered', until: '2026-03-16' });
  }
});

test('answered in March, due in May: the next rung fires as ever, and its message waits for the end of the hold', async () => {
  const due_date = '2026-05-10';
  const { id } = await renewals.create({ due_date });
  await alerted(service, (await renewals.change(id, { notes: 'x' })).body, ['90']);
  on('2026-03-09');
  await answer(id);
  on('2026-03-12');
  await service.forgetEvents();
  const foreseen = async () =>
    (await service.post<{ data: Foreseen[] }>(staff, '/ops/renewals/refresh?dry_run=true')).body.data;
  const [before] = await foreseen();
  const hold = { because: 'answered', until: '2026-03-23' };
  expect(before).toMatchObject({ fires: '60', because: 'reached', hold, sends_after_hold: null });
  await refresh();
  expect(await told('RENEWAL_TRIGGERED')).toMatchObject([{ data: { renewal_id: id, rung: '60', hold } }]);
  await learn({ renewal_id: id, due_date, rung: '60' });
  on('2026-03-22');
  await refresh();
  expect(await told('renewal.outreach')).toEqual([]);
  on('2026-03-23');
  expect(await foreseen()).toMatchObject([{ fires: null, because: 'after_hold', hold: null, sends_after_hold: '60' }]);
  await refresh();
  await refresh();
  const [once, ...more] = await told('renewal.outreach');
  expect(once?.data).toMatchObject({ renewal_id: id, rung: '60', step: 'after_hold', days_until_due: 48, hold: null });
  expect([more, await told('RENEWAL_TRIGGERED')]).toMatchObject([[], [{ data: { rung: '60' } }]]);
  expect(await steps(id)).toEqual([
    { rung: '90', step: '0' },
    { rung: '60', step: '0' },
    { rung: '60', step: 'after_hold' },
  ]);
  const { body } = await service.get<RenewalDetail>(staff, `/ops/renewals/${id}`);
  expect(body.alerts.map(({ rung, step, outcomes }) => [rung, step, outcomes.length])).toEqual([
    ['60', 'after_hold', 0],
    ['60', '0', 1],
    ['90', '0', 0],
  ]);
});

test('kept back while it was started: sent by the first refresh after the release, unless a rung says more', async () => {
  const [near, nearer] = [
    await renewals.create({ due_date: '2026-05-01' }),
    await renewals.create({ due_date: '2026-04-02' }),
  ];
  for (const { id } of [near, nearer]) await renewals.move(id, 'start');
  await refresh();
  await learn({ renewal_id: near.id, due_date: near.due_date, rung: '60' });
  await learn({ renewal_id: nearer.id, due_date: nearer.due_date, rung: '60' });
  expect(await renewals.row(near.id)).toMatchObject({ withheld: true, next_alert_on: '2026-04-01' });
  for (const { id } of [near, nearer]) await renewals.move(id, 'release');
  on('2026-03-03');
  await service.forgetEvents();
  await refresh();
  expect(await told('renewal.outreach')).toMatchObject([{ data: { renewal_id: near.id, rung: '60' } }]);
  expect(await told('RENEWAL_TRIGGERED')).toMatchObject([{ data: { renewal_id: nearer.id, rung: '30', hold: null } }]);
});

test('kept back a second time, one more is sent; what is heard late of the first is of no account', async () => {
  const { id, due_date } = await renewals.create({ due_date: '2026-05-01' });
  await acknowledge(id, '2026-03-05');
  await refresh();
  await learn({ renewal_id: id, due_date, rung: '60' });
  on('2026-03-05');
  await refresh();
  await acknowledge(id, '2026-03-08');
  await learn({ renewal_id: id, due_date, rung: '60', channel: 'SMS' });
  expect(await renewals.row(id)).toMatchObject({ withheld: false });
  await learn({ renewal_id: id, due_date, rung: '60', step: 'after_hold', outcome: 'cancelled' });
  on('2026-03-08');
  await refresh();
  expect((await steps(id)).map(({ step }) => step)).toEqual(['0', 'after_hold', 'after_hold_2']);
});

test('kept back and moved: told of the new date, if that is near too', async () => {
  const [near, far] = [
    await renewals.create({ due_date: '2026-05-01' }),
    await renewals.create({ due_date: '2026-05-01' }),
  ];
  for (const { id } of [near, far]) await acknowledge(id, '2026-03-20');
  await refresh();
  for (const { id, due_date } of [near, far]) await learn({ renewal_id: id, due_date, rung: '60' });
  await renewals.change(near.id, { due_date: '2026-04-30' });
  await renewals.change(far.id, { due_date: '2027-05-01' });
  await refresh();
  expect(await told('renewal.outreach')).toMatchObject([{ data: { renewal_id: near.id, due_date: '2026-04-30' } }]);
  expect(await renewals.row(far.id)).toMatchObject({ withheld: false, next_alert_on: '2027-01-31' });
});

test('two that tell of one answer at once agree on where it is', async () => {
  const [one, other] = [await renewals.create(), await renewals.create()];
  const communication_id = uuidv7();
  const said = [
    { communication_id, renewal_id: one.id },
    { communication_id, renewal_id: other.id, change: 'moved' as const },
  ];
  await Promise.all(said.map((each) => hear(each)));
  expect(await holdOf(one.id)).toBeNull();
  expect(await holdOf(other.id)).not.toBeNull();
});

test('kept back, and its date moved far away by mistake and put right: told of it after all', async () => {
  const { id, due_date } = await renewals.create({ due_date: '2026-05-01' });
  await acknowledge(id, '2026-03-20');
  await refresh();
  await learn({ renewal_id: id, due_date, rung: '60' });
  await renewals.change(id, { due_date: '2027-05-01' });
  await renewals.change(id, { due_date });
  await refresh();
  await refresh();
  expect(await told('renewal.outreach')).toMatchObject([{ data: { renewal_id: id, due_date, step: 'after_hold' } }]);
});
