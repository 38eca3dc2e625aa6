import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { HandedOver } from '@ops/contracts/resources/hand-over';
import type { AssignmentOutcomes, ComplianceFlag, Renewal, Rung } from '@ops/contracts/resources/renewal';
import { uuidv7 } from '@ops/test-kit/builders';
import { alerted, at, inDays } from '../../test/renewals.ts';
import { automation, scheduler, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let renewals: ReturnType<typeof at>;

beforeAll(async () => {
  service = await startTestService();
  renewals = at(service);
  service.customers.add({ id: 'C-1' }, { id: 'C-2', name: 'Bob Demo' });
});
afterAll(() => service.close());
beforeEach(async () => {
  service.customers.away(false);
  await service.empty();
});

test('a renewal is created as it was asked for, and told as a whole', async () => {
  const asked = { service_type: 'RESIDENCE_PERMIT', due_date: '2026-09-01', policy_id: 'P-1', notes: 'by hand' };
  const { status, body } = await service.post<Renewal>(automation, '/ops/customers/C-1/renewals', {
    ...asked,
    assigned_agent: 'agent-2',
  });
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      ...asked,
      customer_id: 'C-1',
      assigned_agent: 'agent-2',
      status: 'UPCOMING',
      reminders: 'on',
      version: 1,
      source: null,
      predecessor_id: null,
      successor_id: null,
      started_at: null,
      closed_at: null,
      created_at: expect.stringMatching(/^2026-03-02T12:00:0\d\.\d{6}Z$/),
      days_until_due: 183,
    },
  });
  expect(await service.events()).toMatchObject([
    {
      type: 'renewal.changed',
      subject: 'C-1',
      data: { renewal_id: body.id, change: 'created', status: 'UPCOMING', due_date: '2026-09-01', version: 1 },
    },
  ]);
  expect(await renewals.row(body.id)).toMatchObject({ next_alert_on: addDays('2026-09-01', -90), anchor_day: 1 });
});

test('one for nobody we know is not found; while nobody can say who is known, it is to be tried later', async () => {
  const create = (customer: string) =>
    service.post<Problem>(staff, `/ops/customers/${customer}/renewals`, {
      service_type: 'WORK_PERMIT',
      due_date: '2026-09-01',
    });
  expect(await create('C-404')).toMatchObject({ status: 404 });
  service.customers.away(true);
  const answer = await create('C-1');
  expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await service.db('renewals').first()).toBeUndefined();
});

test.each([
  ['service_type', { service_type: 'lower case' }],
  ['due_date', { due_date: '2026-02-30' }],
  ['due_date', { due_date: '0000-01-01' }],
  ['due_date', { due_date: '2026-03-02T00:00:00Z' }],
  ['notes', { notes: 'a\u0000b' }],
  ['status', { status: 'OVERDUE' }],
])('a wrong %s is named', async (path, given) => {
  const body = { service_type: 'WORK_PERMIT', due_date: '2026-09-01', ...given };
  const answer = await service.post<Problem>(staff, '/ops/customers/C-1/renewals', body);
  expect(answer.status).toBe(422);
  expect(answer.body.errors?.map((error) => error.path)).toEqual([path]);
});

test('whoever is about to write of it may ask how it stands; nobody else may', async () => {
  const { id } = await renewals.create({ due_date: '2026-09-01' });
  const path = `/internal/renewals/${id}/standing`;
  const standing = async () => (await service.asked('notifier', path)).json();
  expect(await standing()).toEqual({
    customer_id: 'C-1',
    written_under: null,
    due_date: '2026-09-01',
    status: 'UPCOMING',
    assigned_agent: null,
    reminders: 'on',
    hold: null,
    version: 1,
  });
  await service.patch(staff, `/ops/renewals/${id}/complete`);
  expect(await standing()).toMatchObject({ status: 'COMPLETED' });
  expect((await service.asked('comms-service', path)).status).toBe(403);
  expect((await service.asked('notifier', path.replace(id, uuidv7()))).status).toBe(404);
});

test('how several stand is told in the order asked for, and of one that is not there that there is none', async () => {
  const [one, other] = [
    await renewals.create({ due_date: '2026-09-01' }),
    await renewals.create({ due_date: '2026-10-01' }),
  ];
  const path = '/internal/renewals/standings';
  const ids = [other.id, uuidv7(), one.id.toUpperCase()];
  const { data } = (await (await service.asked('notifier', path, { ids })).json()) as { data: object[] };
  const alone = async (id: string) => (await service.asked('notifier', `/internal/renewals/${id}/standing`)).json();
  expect(data).toEqual([await alone(other.id), null, await alone(one.id)]);
  expect((await service.asked('comms-service', path, { ids })).status).toBe(403);
});

test('the same request with the same key makes one renewal', async () => {
  const body = { service_type: 'WORK_PERMIT', due_date: '2026-09-01' };
  const create = () => service.post<Renewal>(staff, '/ops/customers/C-1/renewals', body, { 'idempotency-key': 'k-1' });
  const [first, again] = [await create(), await create()];
  expect(again).toMatchObject({ status: 201, body: first.body });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await service.db('renewals')).toHaveLength(1);
});

test('a scheduler reads and changes nothing here', async () => {
  expect(await service.get(scheduler, '/ops/renewals')).toMatchObject({ status: 403 });
  expect(await service.post(scheduler, '/ops/customers/C-1/renewals', {})).toMatchObject({ status: 403 });
});

test('a change changes what it names, and null empties; the same again changes nothing', async () => {
  const { id } = await renewals.create({ policy_id: 'P-1', notes: 'first' });
  await service.forgetEvents();
  const changed = await renewals.change(id, { notes: null, assigned_agent: 'agent-3', reminders: 'off' });
  expect(changed.body).toMatchObject({ notes: null, policy_id: 'P-1', assigned_agent: 'agent-3', reminders: 'off' });
  expect(changed.headers.get('etag')).toBe('"2"');
  expect(await renewals.change(id, { assigned_agent: 'agent-3' })).toMatchObject({ status: 200, body: changed.body });
  expect(await renewals.change(id, {})).toMatchObject({ status: 200, body: changed.body });
  expect(await service.events()).toMatchObject([
    { data: { change: 'changed', reminders: 'off', assigned_agent: 'agent-3', version: 2 } },
  ]);
});

test('a change on a stale version is refused', async () => {
  const { id } = await renewals.create();
  await renewals.change(id, { notes: 'one' }, { 'if-match': '"1"' });
  expect(await renewals.change(id, { notes: 'two' }, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
  expect(await renewals.row(id)).toMatchObject({ notes: 'one', version: 2 });
});

const rungsAt = async (id: string, due_date: string) =>
  (await renewals.ledger(id))
    .filter((row) => row.due_date === due_date)
    .map(({ rung, state }) => `${rung} ${state}`)
    .sort();

test('a later date carries over what the customer has heard of and arms the rest again', async () => {
  const made = await renewals.create({ due_date: inDays(service, 10) });
  await alerted(service, made, ['90', '60', '30', '14']);
  const due_date = inDays(service, 50);
  expect((await renewals.change(made.id, { due_date })).body).toMatchObject({ due_date, days_until_due: 50 });
  expect(await rungsAt(made.id, due_date)).toEqual(['60 SUPERSEDED', '90 SUPERSEDED']);
  expect(await renewals.row(made.id)).toMatchObject({ next_alert_on: inDays(service, 20) });
});

test('an earlier date alerts of what it reaches and nobody has heard of', async () => {
  const made = await renewals.create({ due_date: inDays(service, 85) });
  await alerted(service, made, ['90']);
  const due_date = inDays(service, 5);
  await renewals.change(made.id, { due_date });
  expect(await rungsAt(made.id, due_date)).toEqual(['90 SUPERSEDED']);
  expect((await renewals.row(made.id)).next_alert_on <= service.deps.today()).toBe(true);
});

test('a date that was moved there and back is not alerted of twice', async () => {
  const made = await renewals.create({ due_date: inDays(service, 20) });
  await alerted(service, made, ['90', '60', '30']);
  await renewals.change(made.id, { due_date: inDays(service, 300) });
  expect(await renewals.row(made.id)).toMatchObject({ next_alert_on: inDays(service, 210) });
  await renewals.change(made.id, { due_date: made.due_date });
  expect(await rungsAt(made.id, made.due_date)).toEqual(['30 FIRED', '60 FIRED', '90 FIRED']);
  expect(await renewals.row(made.id)).toMatchObject({ next_alert_on: inDays(service, 6) });
});

test('a date that was moved far away and is corrected to another day near the first is alerted of again', async () => {
  const made = await renewals.create({ due_date: inDays(service, 20) });
  await alerted(service, made, ['90', '60', '30']);
  await renewals.change(made.id, { due_date: inDays(service, 300) });
  await renewals.change(made.id, { due_date: inDays(service, 21) });
  expect(await rungsAt(made.id, inDays(service, 21))).toEqual([]);
  expect((await renewals.row(made.id)).next_alert_on <= service.deps.today()).toBe(true);
});

const all: Rung[] = ['90', '60', '30', '14', '7', 'OVERDUE'];
const openFlags = async () =>
  (await service.get<Page<ComplianceFlag>>(staff, '/ops/customers/C-1/compliance-flags?state=open')).body.data;

test.each([
  ['today', 0, false, 'UPCOMING'],
  ['later, and worked on', 30, true, 'IN_PROGRESS'],
])('an overdue one moved to %s is overdue no more, and its flag is cleared', async (_, days, started, status) => {
  const made = await renewals.create({ due_date: inDays(service, -4) });
  await alerted(service, made, all);
  if (started) await renewals.move(made.id, 'start');
  expect(await openFlags()).toHaveLength(1);
  expect((await renewals.change(made.id, { due_date: inDays(service, days) })).body).toMatchObject({ status });
  expect(await openFlags()).toEqual([]);
  const { body } = await service.get<Page<ComplianceFlag>>(staff, '/ops/customers/C-1/compliance-flags?state=cleared');
  expect(body.data).toMatchObject([{ cleared_because: 'date_changed', renewal_id: made.id }]);
  // What comes first of what is armed again.
  expect(await renewals.row(made.id)).toMatchObject({ next_alert_on: inDays(service, days === 0 ? 1 : 16) });
});

test('an overdue one moved within the past stays overdue, with a flag of the new date and nothing more to alert', async () => {
  const made = await renewals.create({ due_date: inDays(service, -4) });
  await alerted(service, made, all);
  const due_date = inDays(service, -1);
  expect((await renewals.change(made.id, { due_date })).body).toMatchObject({ status: 'OVERDUE', due_date });
  expect(await openFlags()).toMatchObject([{ due_date }]);
  expect(await renewals.row(made.id)).toMatchObject({ next_alert_on: null });
});

const insured = { service_type: 'INSURANCE_POLICY', due_date: '2026-09-01', policy_id: 'P-1' };
const create = (given: object = {}, customer = 'C-1') =>
  service.post<Renewal>(staff, `/ops/customers/${customer}/renewals`, { ...insured, ...given });
const watched = (renewal_id: string) => ({ status: 409, body: { code: 'already_watched', renewal_id } });

test('what is watched already is not watched twice: the other one is named, on creating and on changing', async () => {
  const { body: first } = await create();
  expect(await create()).toMatchObject(watched(first.id));
  const others = [{ due_date: '2026-09-02' }, { policy_id: 'P-2' }, { service_type: 'WORK_PERMIT' }] as const;
  const [later, another] = await Promise.all(others.map(async (other) => (await create(other)).body));
  expect(await create({}, 'C-2')).toMatchObject({ status: 201 });
  expect(await renewals.change(later?.id ?? '', { due_date: insured.due_date })).toMatchObject(watched(first.id));
  expect(await renewals.change(another?.id ?? '', { policy_id: 'P-1', notes: 'same' })).toMatchObject(
    watched(first.id),
  );
  expect(await renewals.change(later?.id ?? '', { notes: 'late', due_date: '2026-09-02' })).toMatchObject({
    status: 200,
  });
  await renewals.move(first.id, 'cancel');
  expect(await create()).toMatchObject({ status: 201 });
  const { body } = await create();
  expect(await renewals.move(first.id, 'reopen')).toMatchObject(watched((body as object as Problem).renewal_id ?? ''));
});

test('without a policy nobody can say whether it is the same, and it is made', async () => {
  const { body } = await create({ policy_id: null });
  const second = await create({ policy_id: null });
  expect(second).toMatchObject({ status: 201 });
  expect(await renewals.change(body.id, { due_date: '2026-10-01' })).toMatchObject({ status: 200 });
  expect(await renewals.change(body.id, { due_date: insured.due_date })).toMatchObject({ status: 200 });
});

test('one that was there twice before can still be worked on', async () => {
  const [{ body: one }, { body: two }] = [await create(), await create({ policy_id: 'P-2' })];
  await service.db('renewals').where({ id: two.id }).update({ policy_id: 'P-1' });
  for (const { id } of [one, two]) {
    expect(await renewals.change(id, { notes: 'twice', policy_id: 'P-1' })).toMatchObject({ status: 200 });
    expect(await renewals.move(id, 'start')).toMatchObject({ status: 200 });
  }
});

test('of many who ask for the same at once, or move theirs onto it, one gets it', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => create()));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  const days = Array.from({ length: 6 }, (_, n) => inDays(service, n));
  const made = await Promise.all(days.map(async (due_date) => (await create({ due_date })).body.id));
  const moved = await Promise.all(made.map((id) => renewals.change(id, { due_date: '2026-12-01' })));
  expect(moved.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
});

test('of many who change the same version at once, one does', async () => {
  const { id } = await renewals.create();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => renewals.change(id, { due_date: inDays(service, n) }, { 'if-match': '"1"' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
});

test('several are given to an agent at once, and each is told of', async () => {
  const open = await renewals.create();
  const theirs = await renewals.create({ assigned_agent: 'agent-2' }, 'C-2');
  const closed = await renewals.create();
  await renewals.move(closed.id, 'cancel');
  const nothing = '0198c7a0-0000-7000-8000-000000000000';
  await service.forgetEvents();
  const renewal_ids = [nothing, closed.id, theirs.id, open.id.toUpperCase(), open.id];
  const assign = () =>
    service.post<AssignmentOutcomes>(staff, '/ops/renewals/assign', { renewal_ids, assigned_agent: 'agent-2' });
  expect((await assign()).body.data).toEqual([
    { renewal_id: nothing, outcome: 'not_found' },
    { renewal_id: closed.id, outcome: 'closed' },
    { renewal_id: theirs.id, outcome: 'unchanged' },
    { renewal_id: open.id, outcome: 'assigned' },
  ]);
  expect((await assign()).body.data.at(-1)).toEqual({ renewal_id: open.id, outcome: 'unchanged' });
  expect(await service.events()).toMatchObject([
    { data: { renewal_id: open.id, assigned_agent: 'agent-2', version: 2, change: 'changed' } },
  ]);
});

test('flags come newest first, page by page', async () => {
  for (let day = 1; day <= 5; day++) {
    service.clock.set(`2026-03-0${day}T12:00:00Z`);
    await alerted(service, await renewals.create({ due_date: '2026-01-01' }), all);
  }
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/ops/customers/C-1/compliance-flags?limit=2${cursor && `&cursor=${cursor}`}`;
    const { body }: { body: Page<ComplianceFlag> } = await service.get<Page<ComplianceFlag>>(staff, path);
    seen.push(...body.data.map(({ raised_at }) => raised_at.slice(0, 10)));
    cursor = body.next_cursor;
  }
  expect(seen).toEqual(['2026-03-05', '2026-03-04', '2026-03-03', '2026-03-02', '2026-03-01']);
  service.clock.set('2026-03-02T12:00:00Z');
});

test('all active renewals that one agent was given go to another, and are counted before and after', async () => {
  const [one, other] = [
    await renewals.create({ assigned_agent: 'agent-2' }),
    await renewals.create({ assigned_agent: 'agent-2' }),
  ];
  const over = await renewals.create({ assigned_agent: 'agent-2' });
  await renewals.move(over.id, 'cancel');
  const handOver = async (query = '') =>
    (
      await service.post<HandedOver>(staff, `/ops/renewals/hand-over${query}`, {
        from: 'agent-2',
        assigned_agent: 'agent-3',
      })
    ).body;
  expect(await handOver('?dry_run=true')).toEqual({ handed_over: 0, left: 2 });
  const both = await Promise.all([handOver(), handOver()]);
  expect(both.map(({ handed_over }) => handed_over).toSorted()).toEqual([0, 2]);
  expect(await handOver()).toEqual({ handed_over: 0, left: 0 });
  for (const { id } of [one, other])
    expect(await renewals.row(id)).toMatchObject({ assigned_agent: 'agent-3', version: 2 });
  expect(await renewals.row(over.id)).toMatchObject({ assigned_agent: 'agent-2' });
});
