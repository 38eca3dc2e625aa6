import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { NextRenewal } from '@ops/contracts/internal-routes';
import type { Page } from '@ops/contracts/pagination';
import type { RefreshRun } from '@ops/contracts/resources/refresh';
import type { QueuedRenewal, Renewal, RenewalQueue, RenewalSummary, Rung } from '@ops/contracts/resources/renewal';
import { uuidv7 } from '@ops/test-kit/builders';
import fc from 'fast-check';
import { alerted, at, inDays } from '../../test/renewals.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import { insertRenewals } from '../../test/world.ts';

let service: TestService;
let renewals: ReturnType<typeof at>;

beforeAll(async () => {
  service = await startTestService();
  renewals = at(service);
  service.customers.add({ id: 'C-1', name: 'Ada Demo' }, { id: 'C-2', name: 'Bob Demo' });
});
afterAll(() => service.close());
beforeEach(async () => {
  service.customers.away(false);
  await service.empty();
});

const queue = async (query: Record<string, string> = {}) =>
  (await service.get<RenewalQueue>(staff, `/ops/renewals?${new URLSearchParams(query)}`)).body;
const idsOf = ({ data }: { data: Pick<Renewal, 'id'>[] }) => data.map(({ id }) => id);
const refreshed = (as_of: string) => service.db('refreshed').update({ as_of });

const all: Rung[] = ['90', '60', '30', '14', '7', 'OVERDUE'];

async function some() {
  const overdue = await renewals.create({ due_date: inDays(service, -40) });
  await alerted(service, overdue, all);
  const soon = await renewals.create({ due_date: inDays(service, 3), service_type: 'WORK_PERMIT' }, 'C-2');
  const month = await renewals.create({ due_date: inDays(service, 30), assigned_agent: 'agent-2' });
  const quarter = await renewals.create({ due_date: inDays(service, 90) });
  const year = await renewals.create({ due_date: inDays(service, 365) });
  const done = await renewals.create({ due_date: inDays(service, 10) });
  await renewals.move(done.id, 'complete', { create_next: false });
  await renewals.move(month.id, 'start');
  const ids = {
    overdue: overdue.id,
    soon: soon.id,
    month: month.id,
    quarter: quarter.id,
    year: year.id,
    done: done.id,
  };
  return ids;
}

test('what is overdue comes first, then what is due next; windows hold all that is overdue', async () => {
  const { overdue, soon, month, quarter, year, done } = await some();
  expect(idsOf(await queue())).toEqual([overdue, soon, month, quarter, year]);
  expect(idsOf(await queue({ window: '30' }))).toEqual([overdue, soon, month]);
  expect(idsOf(await queue({ window: '60' }))).toEqual([overdue, soon, month]);
  expect(idsOf(await queue({ window: '90' }))).toEqual([overdue, soon, month, quarter]);
  expect(idsOf(await queue({ status: 'OVERDUE' }))).toEqual([overdue]);
  expect(idsOf(await queue({ status: 'COMPLETED' }))).toEqual([done]);
  expect(idsOf(await queue({ status: 'COMPLETED', window: '30' }))).toEqual([done]);
  expect(idsOf(await queue({ status: 'UPCOMING', window: '90' }))).toEqual([soon, quarter]);
  expect(idsOf(await queue({ service_type: 'WORK_PERMIT' }))).toEqual([soon]);
  expect(idsOf(await queue({ assigned_agent: 'agent-2' }))).toEqual([month]);
  expect(idsOf(await queue({ assigned_agent: '', window: '30' }))).toEqual([overdue, soon]);
  expect(idsOf(await queue({ service_type: 'WORK_PERMIT', assigned_agent: 'agent-2' }))).toEqual([]);
});

test('days until due are those of the last refresh, whatever day it is since; before any, of the day it was made', async () => {
  const { overdue, soon, month } = await some();
  const days = async () =>
    Object.fromEntries((await queue()).data.map(({ id, days_until_due }) => [id, days_until_due]));
  expect((await queue()).as_of).toBeNull();
  service.clock.set('2026-03-05T12:00:00Z');
  expect(await days()).toMatchObject({ [overdue]: -40, [soon]: 3, [month]: 30 });
  await refreshed('2026-03-04');
  expect((await queue()).as_of).toBe('2026-03-04');
  expect(await days()).toMatchObject({ [overdue]: -42, [soon]: 1, [month]: 28 });
  service.clock.set('2026-03-02T12:00:00Z');
});

test('before the first refresh a window is counted by the day each was made', async () => {
  const early = await renewals.create({ due_date: inDays(service, 32) });
  service.clock.set('2026-03-05T12:00:00Z');
  const late = await renewals.create({ due_date: inDays(service, 29) });
  expect(idsOf(await queue({ window: '30' }))).toEqual([late.id]);
  await refreshed('2026-03-05');
  expect(idsOf(await queue({ window: '30' })).sort()).toEqual([early.id, late.id].sort());
  service.clock.set('2026-03-02T12:00:00Z');
});

test('each line bears its customer, asked for once a page; while comms-service is away it has no name', async () => {
  await some();
  service.customers.calls();
  const names = ({ data }: { data: QueuedRenewal[] }) => data.map(({ customer_name }) => customer_name);
  expect(names(await queue())).toEqual(['Ada Demo', 'Bob Demo', 'Ada Demo', 'Ada Demo', 'Ada Demo']);
  expect(service.customers.calls()).toBe(1);
  service.customers.away(true);
  expect(names(await queue())).toEqual([null, null, null, null, null]);
});

test('days from and to, both of them in it, narrow any other question', async () => {
  const { overdue, soon, month, quarter, done } = await some();
  const between = (from: number, to: number) => ({ due_from: inDays(service, from), due_to: inDays(service, to) });
  expect(idsOf(await queue(between(3, 30)))).toEqual([soon, month]);
  expect(idsOf(await queue({ ...between(-40, 3), window: '30' }))).toEqual([overdue, soon]);
  expect(idsOf(await queue({ ...between(4, 90), service_type: 'RESIDENCE_PERMIT' }))).toEqual([month, quarter]);
  expect(idsOf(await queue({ ...between(4, 90), status: 'COMPLETED' }))).toEqual([done]);
  const refused = await service.get(staff, '/ops/renewals?due_from=2026-02-30');
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'due_from' }] } });
});

test('each number by rung of a refresh is of the renewals listed for it, whatever became of them and whatever came later', async () => {
  const [late, week, soon, month, far] = await Promise.all(
    [-3, 6, 5, 25, 130].map((days) => renewals.create({ due_date: inDays(service, days) })),
  );
  const alertedBy = async (query: Record<string, string>) => new Set(idsOf(await queue(query)));
  const { body: run } = await service.post<RefreshRun>(staff, '/ops/renewals/refresh');
  expect(run.counts.by_rung).toEqual({ 30: 1, 7: 2, OVERDUE: 1 });
  await renewals.move(week?.id ?? '', 'complete', { next_due_date: inDays(service, 400) });
  await renewals.move(soon?.id ?? '', 'cancel');
  await renewals.change(month?.id ?? '', { due_date: inDays(service, 700) });
  await renewals.change(far?.id ?? '', { due_date: inDays(service, 20) });
  const { body: next } = await service.post<RefreshRun>(staff, '/ops/renewals/refresh');
  expect(next.counts.by_rung).toEqual({ 30: 1 });

  const { run_id } = run;
  expect(idsOf(await queue({ run_id }))).toEqual([late?.id, soon?.id, week?.id, month?.id]);
  expect(await alertedBy({ run_id, rung: 'OVERDUE' })).toEqual(new Set([late?.id]));
  expect(await alertedBy({ run_id, rung: '7' })).toEqual(new Set([week?.id, soon?.id]));
  expect(await alertedBy({ run_id, rung: '30' })).toEqual(new Set([month?.id]));
  // Passed over for a more urgent one: nobody was alerted of it.
  expect(await alertedBy({ run_id, rung: '90' })).toEqual(new Set());
  expect(await alertedBy({ run_id, rung: '7', status: 'CANCELLED' })).toEqual(new Set([soon?.id]));
  expect(await alertedBy({ run_id: next.run_id })).toEqual(new Set([far?.id]));
  expect(await walk({ run_id })).toEqual([late?.id, soon?.id, week?.id, month?.id]);
  expect(idsOf(await queue({ run_id: uuidv7() }))).toEqual([]);
});

test('a rung is asked for with its refresh alone', async () => {
  const refused = await service.get(staff, '/ops/renewals?rung=14');
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'rung' }] } });
});

test.each([
  ['tomorrow’s, once today’s is over', 0, 1],
  ['today’s, while it is not', -1, 0],
])('each line says what the next night that has to do with it will alert: %s', async (_, refreshed, night) => {
  await service.db('refreshed').update({ as_of: inDays(service, refreshed) });
  const next = async () => Object.fromEntries((await queue()).data.map(({ id, next_alert }) => [id, next_alert]));
  const { overdue, soon, month, quarter, year } = await some();
  const alert = { step: '0', does: null };
  expect(await next()).toEqual({
    [overdue]: null,
    [soon]: { rung: '7', on: inDays(service, night), ...alert },
    [month]: { rung: '30', on: inDays(service, night), ...alert },
    [quarter]: { rung: '90', on: inDays(service, night), ...alert },
    [year]: { rung: '90', on: inDays(service, 365 - 90), ...alert },
  });
});

test('each line bears the newest message about it', async () => {
  const { soon, month } = await some();
  const word = (renewal_id: string, status: string, day: string) => ({
    communication_id: uuidv7(),
    renewal_id,
    type: 'EMAIL',
    direction: 'OUTBOUND',
    status,
    occurred_at: `2026-02-${day}T09:00:00Z`,
    told_at: '2026-03-01T09:00:00Z',
    told_id: day,
  });
  await service
    .db('linked_messages')
    .insert([word(soon, 'READ', '20'), word(soon, 'FAILED', '21'), word(soon, 'READ', '19')]);
  const contacts = new Map((await queue()).data.map(({ id, last_contact }) => [id, last_contact]));
  expect(contacts.get(soon)).toMatchObject({
    type: 'EMAIL',
    status: 'FAILED',
    occurred_at: '2026-02-21T09:00:00.000000Z',
  });
  expect(contacts.get(month)).toBeNull();
});

async function walk(query: Record<string, string>, between: () => Promise<unknown> = async () => undefined) {
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: RenewalQueue = await queue({ ...query, limit: '2', ...(cursor ? { cursor } : {}) });
    seen.push(...idsOf(page));
    cursor = page.next_cursor;
    await between();
  }
  return seen;
}

test('pages have no gap and no twin, many of one day included, whatever is added or closed meanwhile', async () => {
  const days = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(days, days, async (there, added) => {
      await service.empty();
      const made: string[] = [];
      for (const day of there) made.push((await renewals.create({ due_date: inDays(service, day) })).id);
      const queueOf = [...added];
      const seen = await walk({}, async () => {
        const day = queueOf.shift();
        if (day !== undefined) await renewals.create({ due_date: inDays(service, day) });
      });
      expect(new Set(seen).size).toBe(seen.length);
      const rows = await service.db('renewals').orderBy(['due_date', 'id']).select('id');
      expect(seen.filter((id) => made.includes(id))).toEqual(idsOf({ data: rows }).filter((id) => made.includes(id)));
    }),
    { seed: 20_260_405, numRuns: 12 },
  );
});

test.each([
  ['x'],
  [btoa(JSON.stringify(['2026-02-30', '0198c7a0-0000-7000-8000-000000000000']))],
  [btoa('["0000-01-01"]')],
])('a cursor that is none is refused by name: %s', async (cursor) => {
  const answer = await service.get(staff, `/ops/renewals?cursor=${encodeURIComponent(cursor)}`);
  expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: 'cursor' }] } });
});

test('a customer has all of its renewals listed, the earliest due first, closed ones too', async () => {
  const { overdue, month, quarter, year, done, soon } = await some();
  const list = async (customer: string, query = '') =>
    idsOf((await service.get<Page<Renewal>>(staff, `/ops/customers/${customer}/renewals${query}`)).body);
  expect(await list('C-1')).toEqual([overdue, done, month, quarter, year]);
  expect(await list('C-1', '?status=COMPLETED')).toEqual([done]);
  expect(await list('C-2')).toEqual([soon]);
});

test('of each customer comms-service learns what is due first, of all that is not over', async () => {
  const { overdue, soon } = await some();
  const customer_ids = ['C-1', 'C-2', 'C-404', 'C-1'];
  const answer = await service.asked('comms-service', '/internal/renewals/next', { customer_ids });
  const { data } = (await answer.json()) as { data: NextRenewal[] };
  expect(data.toSorted((a, b) => (a.customer_id < b.customer_id ? -1 : 1))).toMatchObject([
    { id: overdue, customer_id: 'C-1', service_type: 'RESIDENCE_PERMIT' },
    { id: soon, customer_id: 'C-2', service_type: 'WORK_PERMIT' },
  ]);
  expect((await service.asked('notifier', '/internal/renewals/next', { customer_ids })).status).toBe(403);
});

test.each(['renewals', 'compliance-flags'])(
  'the %s of nobody we know are not found; of a customer who has none, or while nobody can say, they are none',
  async (name) => {
    const list = (customer: string, query = '') => service.get(staff, `/ops/customers/${customer}/${name}${query}`);
    const nothing = { status: 200, body: { data: [], next_cursor: null } };
    expect(await list('C-404')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await list('C-1')).toMatchObject(nothing);
    service.customers.away(true);
    expect(await list('C-404')).toMatchObject(nothing);
    service.customers.away(false);
    // Upstream told of them before anybody else did.
    await insertRenewals(service.db, [{ due_date: inDays(service, 400), customer_id: 'C-404' }]);
    service.customers.calls();
    expect((await list('C-404')).status).toBe(200);
    if (name === 'renewals') expect(await list('C-404', '?status=CANCELLED')).toMatchObject(nothing);
    expect(service.customers.calls()).toBe(0);
  },
);

test('the summary counts by type, status and week', async () => {
  await some();
  await refreshed('2026-03-02');
  const { body } = await service.get<RenewalSummary>(staff, '/ops/renewals/summary');
  const permits = (status: string, count: number) => ({ service_type: 'RESIDENCE_PERMIT', status, count });
  expect(body.as_of).toBe('2026-03-02');
  expect(body.by_service_type).toEqual([
    permits('COMPLETED', 1),
    permits('IN_PROGRESS', 1),
    permits('OVERDUE', 1),
    permits('UPCOMING', 2),
    { service_type: 'WORK_PERMIT', status: 'UPCOMING', count: 1 },
  ]);
  expect(body.by_week).toEqual([
    { week: '2026-03-02', service_type: 'WORK_PERMIT', count: 1 },
    { week: '2026-03-30', service_type: 'RESIDENCE_PERMIT', count: 1 },
    { week: '2026-05-25', service_type: 'RESIDENCE_PERMIT', count: 1 },
  ]);
});

test('of one agent, or of nobody, it counts theirs alone, whoever asks at the same time', async () => {
  await some();
  const agents = ['?assigned_agent=agent-2', '?assigned_agent=', ''];
  const answers = await Promise.all(
    agents.map((query) => service.get<RenewalSummary>(staff, `/ops/renewals/summary${query}`)),
  );
  const counts = answers.map(({ body: { by_service_type, by_week } }) => [sumOf(by_service_type), sumOf(by_week)]);
  expect(counts).toEqual([
    [1, 1],
    [5, 2],
    [6, 3],
  ]);
});

const sumOf = (counts: { count: number }[]) => counts.reduce((sum, { count }) => sum + count, 0);

test('a renewal is found by any part of its policy’s or permit’s number, however it is grouped, also when it is over', async () => {
  const { id } = await renewals.create({ due_date: inDays(service, 400), policy_id: 'AB-12/3456' });
  const over = await renewals.create({ due_date: inDays(service, 10), policy_id: 'ab 12 9999' });
  await renewals.move(over.id, 'complete', { create_next: false });
  expect(idsOf(await queue({ q: 'AB 12' }))).toEqual([over.id, id]);
  expect(idsOf(await queue({ q: '12 / 345' }))).toEqual([id]);
  expect(idsOf(await queue({ q: '9999', status: 'COMPLETED' }))).toEqual([over.id]);
  for (const q of ['AB-13', "' | x", '--']) expect(idsOf(await queue({ q }))).toEqual([]);
});
