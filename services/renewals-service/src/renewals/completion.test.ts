import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Problem } from '@ops/contracts/problem';
import type { CreateRenewal, Renewal } from '@ops/contracts/resources/renewal';
import { eventually } from '@ops/test-kit/eventually';
import { alerted, at, inDays } from '../../test/renewals.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import { cancelRenewal } from './renewal-service.ts';

let service: TestService;
let renewals: ReturnType<typeof at>;

beforeAll(async () => {
  service = await startTestService();
  renewals = at(service);
  service.customers.add({ id: 'C-1' }, { id: 'C-2' });
});
afterAll(() => service.close());
beforeEach(() => service.empty());

/** The due dates of those that are still watched. */
const watched = async (): Promise<string[]> =>
  (await service.db('renewals').whereNull('closed_at').orderBy('due_date')).map(({ due_date }) => due_date);
const count = async (where: object = {}) => Number((await service.db('renewals').where(where).count())[0]?.count);

test('the next renewal is a term later, linked, and of the same customer, policy and agent', async () => {
  const made = await renewals.create({
    due_date: '2026-03-31',
    service_type: 'INSURANCE_POLICY',
    policy_id: 'P-1',
    notes: 'this year',
    assigned_agent: 'agent-2',
  });
  await renewals.change(made.id, { reminders: 'off' });
  await service.forgetEvents();
  const { body } = await renewals.move(made.id, 'complete');
  const same = { customer_id: 'C-1', service_type: 'INSURANCE_POLICY', policy_id: 'P-1', assigned_agent: 'agent-2' };
  expect(body.renewal).toMatchObject({ ...same, status: 'COMPLETED', successor_id: body.next_renewal?.id });
  expect(body.next_renewal).toMatchObject({
    ...same,
    status: 'UPCOMING',
    due_date: '2027-03-31',
    predecessor_id: made.id,
    version: 1,
    notes: null,
    reminders: 'off',
    source: null,
  });
  const events = await service.events();
  expect(events.map(({ type, data }) => [type, data.renewal_id, data.change])).toEqual([
    ['renewal.changed', body.next_renewal?.id, 'created'],
    ['renewal.changed', made.id, 'completed'],
    ['RENEWAL_COMPLETED', made.id, undefined],
  ]);
  expect(events.at(-1)?.data).toMatchObject({
    next_renewal_id: body.next_renewal?.id,
    next_due_date: '2027-03-31',
    due_date: '2026-03-31',
  });
});

test.each([
  ['a type without a term', { service_type: 'PET_LICENCE' }, undefined, null],
  [
    'a type without a term and a given date',
    { service_type: 'PET_LICENCE' },
    { next_due_date: '2027-01-05' },
    '2027-01-05',
  ],
  ['a given date before the term', {}, { next_due_date: '2026-12-24' }, '2026-12-24'],
  ['one that is not to have a next one', {}, { create_next: false }, null],
  ['one that is wanted', {}, { create_next: true }, '2028-06-30'],
])('completing %s', async (_, given, body, expected) => {
  const { id } = await renewals.create({ due_date: '2026-06-30', ...given });
  const answer = await renewals.move(id, 'complete', body);
  expect(answer.status).toBe(200);
  expect(answer.body.next_renewal?.due_date ?? null).toBe(expected);
  expect(await count()).toBe(expected === null ? 1 : 2);
});

test.each([
  ['next_due_date', {}, { next_due_date: '2026-06-30' }],
  ['next_due_date', { due_date: '2025-01-01' }, { next_due_date: '2026-03-02' }],
  ['next_due_date', { service_type: 'PET_LICENCE' }, { create_next: true }],
  ['create_next', {}, { create_next: false, next_due_date: '2027-01-01' }],
])('what makes no sense names %s, and nothing happens', async (path, given, body) => {
  const { id } = await renewals.create({ due_date: '2026-06-30', ...given });
  const answer = await renewals.move(id, 'complete', body);
  expect(answer.status).toBe(422);
  expect((answer.body as unknown as Problem).errors).toMatchObject([{ path }]);
  expect(await renewals.row(id)).toMatchObject({ status: 'UPCOMING', version: 1 });
});

test('of a next one that is due soon the customer is not written to before the next rung, and it can be taken back', async () => {
  const { id } = await renewals.create({ due_date: '2026-03-05' });
  const { body } = await renewals.move(id, 'complete', { next_due_date: inDays(service, 5) });
  const next = body.next_renewal as Renewal;
  expect(await silentAlerts(next.id)).toEqual([['7', true]]);
  expect(await renewals.row(next.id)).toMatchObject({ next_alert_on: inDays(service, 6) });
  expect((await renewals.move(id, 'reopen')).status).toBe(200);
  expect(await renewals.row(next.id)).toMatchObject({ status: 'CANCELLED' });
});

test('what followed is not taken back after an alert that the customer heard of', async () => {
  const { id } = await renewals.create({ due_date: '2026-03-10' });
  const { body } = await renewals.move(id, 'complete', { next_due_date: inDays(service, 15) });
  const next = body.next_renewal as Renewal;
  const before = service.clock.now();
  service.clock.set(`${inDays(service, 1)}T12:00:00Z`);
  expect(await silentAlerts(next.id)).toEqual([['14', false]]);
  expect((await renewals.move(id, 'reopen')).status).toBe(409);
  service.clock.set(before.toISOString());
});

/** What the next refresh says of it. */
async function silentAlerts(id: string) {
  await service.forgetEvents();
  expect((await service.post(staff, '/ops/renewals/refresh')).status).toBe(200);
  const fired = (await service.events()).filter(
    ({ type, data }) => type === 'RENEWAL_TRIGGERED' && data.renewal_id === id,
  );
  return fired.map(({ data }) => [data.rung, data.silent]);
}

test('a later renewal of that customer, type and policy is linked instead of adding one', async () => {
  const policy = { service_type: 'INSURANCE_POLICY', policy_id: 'P-1' };
  const now = await renewals.create({ ...policy, due_date: '2026-04-01' });
  const others = [
    await renewals.create({ ...policy, policy_id: 'P-2', due_date: '2026-08-01' }),
    await renewals.create({ ...policy, due_date: '2026-09-01' }, 'C-2'),
    await renewals.create({ service_type: 'WORK_PERMIT', policy_id: 'P-1', due_date: '2026-09-01' }),
    await renewals.create({ ...policy, due_date: '2026-03-31' }),
  ];
  const cancelled = await renewals.create({ ...policy, due_date: '2026-05-01' });
  await renewals.move(cancelled.id, 'cancel');
  const later = await renewals.create({ ...policy, due_date: '2027-02-01' });
  const { body } = await renewals.move(now.id, 'complete');
  expect(body.next_renewal).toMatchObject({ id: later.id, predecessor_id: now.id, version: 2, due_date: '2027-02-01' });
  expect(await count()).toBe(others.length + 3);
});

test('one whose date is corrected to before that of the one it followed is followed by a next one of its own', async () => {
  const mistyped = await renewals.create({ due_date: '2062-06-30' });
  const next = (await renewals.move(mistyped.id, 'complete')).body.next_renewal as Renewal;
  await renewals.change(next.id, { due_date: '2028-06-30' });
  const { body } = await renewals.move(next.id, 'complete');
  expect(body.next_renewal).toMatchObject({ due_date: '2030-06-30', predecessor_id: next.id });
  expect(await watched()).toEqual(['2030-06-30']);
});

test('one that is completed follows nothing', async () => {
  const { id } = await renewals.create({ due_date: '2026-06-30' });
  const later = await renewals.create({ due_date: '2027-06-30' });
  await renewals.move(later.id, 'complete', { create_next: false });
  expect((await renewals.move(id, 'complete')).body.next_renewal).toMatchObject({ due_date: '2028-06-30' });
});

test.each([
  ['one is due that day', ['2027-06-30', '2027-09-01'], ['2027-06-30', '2027-09-01']],
  ['others are due around it', ['2026-09-01', '2027-07-01'], ['2026-09-01', '2027-06-30', '2027-07-01']],
])('a date that is asked for is watched once when %s', async (_, there, expected) => {
  const permit: Partial<CreateRenewal> = { service_type: 'PET_LICENCE' };
  for (const due_date of there) await renewals.create({ ...permit, due_date });
  const { id } = await renewals.create({ ...permit, due_date: '2026-06-30' });
  const { body } = await renewals.move(id, 'complete', { next_due_date: '2027-06-30' });
  expect(body.next_renewal).toMatchObject({ due_date: '2027-06-30', predecessor_id: id, status: 'UPCOMING' });
  expect(await watched()).toEqual(expected);
});

/** Somebody waits for a row that another transaction holds. */
const waiting = () =>
  eventually(async () => {
    const { rows } = await service.db.raw(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(1);
  });

test('one that is cancelled at that moment follows nothing', async () => {
  const { id } = await renewals.create({ due_date: '2026-06-30' });
  const later = await renewals.create({ due_date: '2027-06-30' });
  const { completing } = await service.db.transaction(async (trx) => {
    await cancelRenewal(service.deps, trx, later.id, {}, undefined);
    const completing = renewals.move(id, 'complete');
    await waiting();
    return { completing };
  });
  expect((await completing).body.next_renewal).toMatchObject({ due_date: '2028-06-30', predecessor_id: id });
});

test('renewals are taken in the order of their ids, as a refresh takes them', async () => {
  const later = await renewals.create({ due_date: '2027-06-30' });
  const { id } = await renewals.create({ due_date: '2026-06-30' });
  const { completing } = await service.db.transaction(async (trx) => {
    await trx('renewals').where({ id: later.id }).forUpdate();
    const completing = renewals.move(id, 'complete');
    await waiting();
    await trx.raw('SELECT FROM renewals WHERE id = ? FOR UPDATE NOWAIT', [id]);
    return { completing };
  });
  expect((await completing).body.next_renewal).toMatchObject({ id: later.id });
});

test('two that were watched twice lead to the same next one', async () => {
  const [first, second] = [await renewals.create(), await renewals.create()];
  const one = await renewals.move(first.id, 'complete');
  const other = await renewals.move(second.id, 'complete');
  expect(other.body.next_renewal).toEqual(one.body.next_renewal);
  expect(other.body.renewal.successor_id).toBe(one.body.next_renewal?.id);
  expect(await renewals.move(second.id, 'complete')).toMatchObject({ body: other.body });
});

test('of many who complete it at once all get the same next renewal, and it is told once', async () => {
  const { id } = await renewals.create();
  await service.forgetEvents();
  const all = await Promise.all(Array.from({ length: 12 }, () => renewals.move(id, 'complete')));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(all.map(({ body }) => body.next_renewal?.id)).size).toBe(1);
  expect(await count()).toBe(2);
  expect((await service.events()).filter(({ type }) => type === 'RENEWAL_COMPLETED')).toHaveLength(1);
});

test('of many that were watched twice and are completed at once, one makes the next', async () => {
  const all: Renewal[] = [];
  for (let n = 0; n < 8; n++) all.push(await renewals.create());
  const answers = await Promise.all(all.map(({ id }) => renewals.move(id, 'complete')));
  expect(new Set(answers.map(({ body }) => body.next_renewal?.id)).size).toBe(1);
  expect(await count({ status: 'UPCOMING' })).toBe(1);
});

test('of completing and cancelling at once, one is done and the other refused', async () => {
  for (let n = 0; n < 6; n++) {
    const { id } = await renewals.create({}, n % 2 === 0 ? 'C-1' : 'C-2');
    const answers = await Promise.all([
      renewals.move(id, 'complete', { create_next: false }),
      renewals.move(id, 'cancel'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  }
});

test('reopening takes back the next one that completing made; completing again makes another', async () => {
  const { id } = await renewals.create();
  const first = (await renewals.move(id, 'complete')).body.next_renewal as Renewal;
  const reopened = await renewals.move(id, 'reopen');
  expect(reopened.body).toMatchObject({ status: 'UPCOMING', successor_id: null, closed_at: null });
  expect(await renewals.row(first.id)).toMatchObject({ status: 'CANCELLED', predecessor_id: null });
  const second = (await renewals.move(id, 'complete')).body.next_renewal as Renewal;
  expect(second).toMatchObject({ predecessor_id: id, status: 'UPCOMING' });
  expect(second.id).not.toBe(first.id);
});

test('reopening leaves a next one that was there before, without its predecessor', async () => {
  const { id } = await renewals.create({ due_date: '2026-04-01' });
  const later = await renewals.create({ due_date: '2028-04-01' });
  await renewals.move(id, 'complete');
  expect((await renewals.move(id, 'reopen')).status).toBe(200);
  expect(await renewals.row(later.id)).toMatchObject({ status: 'UPCOMING', predecessor_id: null, version: 3 });
});

async function twoToOne() {
  const [first, second] = [await renewals.create(), await renewals.create()];
  const next = (await renewals.move(first.id, 'complete')).body.next_renewal as Renewal;
  await renewals.move(second.id, 'complete');
  return { first, second, next };
}

test('of two that lead to the same next one, reopening the first leaves that to the second', async () => {
  const { first, second, next } = await twoToOne();
  await service.forgetEvents();
  expect(await renewals.move(first.id, 'reopen')).toMatchObject({ status: 200, body: { successor_id: null } });
  expect(await renewals.row(next.id)).toMatchObject({ status: 'UPCOMING', predecessor_id: second.id, version: 2 });
  expect((await service.events()).map(({ data }) => [data.renewal_id, data.change])).toEqual([
    [first.id, 'reopened'],
    [next.id, 'changed'],
  ]);
  expect((await renewals.move(first.id, 'complete')).body.next_renewal).toMatchObject({ id: next.id });
});

test.each([
  ['the first first', 0, 1],
  ['the second first', 1, 0],
])('once both are reopened, %s, the next one that completing made is cancelled', async (_, one, other) => {
  const { first, second, next } = await twoToOne();
  const both = [first.id, second.id];
  expect((await renewals.move(both[one] as string, 'reopen')).status).toBe(200);
  expect(await renewals.row(next.id)).toMatchObject({ status: 'UPCOMING' });
  expect((await renewals.move(both[other] as string, 'reopen')).status).toBe(200);
  expect(await renewals.row(next.id)).toMatchObject({ status: 'CANCELLED', predecessor_id: null });
});

test('reopening one of two leaves the other held off by what was touched before', async () => {
  const [first, second] = [await renewals.create(), await renewals.create()];
  const next = (await renewals.move(first.id, 'complete')).body.next_renewal as Renewal;
  await renewals.change(next.id, { notes: 'called' });
  await renewals.move(second.id, 'complete');
  expect((await renewals.move(second.id, 'reopen')).status).toBe(200);
  expect((await renewals.move(first.id, 'reopen')).status).toBe(409);
});

test('what followed it and was touched since holds reopening off', async () => {
  const touches = [
    ({ id }: Renewal) => renewals.change(id, { notes: 'called' }),
    ({ id }: Renewal) => renewals.move(id, 'start'),
    ({ id }: Renewal) => renewals.move(id, 'cancel'),
    (next: Renewal) => alerted(service, next, ['90']),
  ];
  for (const touch of touches) {
    const { id } = await renewals.create({ service_type: 'WORK_PERMIT', policy_id: `P-${touches.indexOf(touch)}` });
    await touch((await renewals.move(id, 'complete')).body.next_renewal as Renewal);
    expect(await renewals.move(id, 'reopen')).toMatchObject({ status: 409 });
    expect(await renewals.row(id)).toMatchObject({ status: 'COMPLETED' });
  }
});
