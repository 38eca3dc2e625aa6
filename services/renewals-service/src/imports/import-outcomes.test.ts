import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Renewal } from '@ops/contracts/resources/renewal';
import { csv, importing } from '../../test/import.ts';
import { at, inDays } from '../../test/renewals.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let files: ReturnType<typeof importing>;
let renewals: ReturnType<typeof at>;

beforeAll(async () => {
  service = await startTestService();
  files = importing(service);
  renewals = at(service);
  service.customers.add({ id: 'C-1' }, { id: 'C-2' });
});
afterAll(() => service.close());
beforeEach(() => service.empty());

const columns = 'customer_id,service_type,due_date,external_id,policy_id,notes,assigned_agent,reminders';
const take = (...rows: string[]) => files.take(csv(columns, ...rows));
const said = async (...rows: string[]) => (await take(...rows)).rows.map(({ outcome }) => outcome);
const all = (): Promise<Renewal[]> =>
  service.db('renewals').orderBy(['due_date', 'id']).select('id', 'due_date', 'status', 'policy_id', 'version');
const dates = async () => (await all()).map(({ due_date }) => due_date);
const told = async () => (await service.events()).map(({ type, data }) => `${type} ${data.change ?? data.rung ?? ''}`);
const refusal = async (row: string) => (await take(row)).rows[0]?.errors[0];

const byKey: [string, string][] = [
  ['external id', 'C-1,RESIDENCE_PERMIT,2027-03-01,X-1,,,,'],
  ['policy', 'C-1,INSURANCE_POLICY,2027-03-01,,P-1,,,'],
  ['date', 'C-1,RESIDENCE_PERMIT,2027-03-01,,,,,'],
];
const moved = (row: string) => row.replace('2027-03-01', '2027-06-01');

describe.each(byKey)('a row known by its %s', (key, row) => {
  test('is unchanged when it comes again, and nobody hears of it', async () => {
    expect(await said(row)).toEqual(['created']);
    const before = await all();
    await service.forgetEvents();
    expect([await said(row), await all(), await told()]).toEqual([['unchanged'], before, []]);
  });

  test('is left closed when it comes again after it was cancelled or completed', async () => {
    await said(row);
    const [made] = await all();
    await renewals.move(made?.id as string, 'cancel');
    expect([await said(row), (await all()).length]).toEqual([['unchanged'], 1]);
    await renewals.move(made?.id as string, 'reopen');
    await renewals.move(made?.id as string, 'complete');
    const after = await all();
    expect([await said(row), await all()]).toEqual([['unchanged'], after]);
    expect(after).toHaveLength(2);
  });

  test('takes what else the file says of it, and keeps what it does not', async () => {
    const full = row.replace(/,,,$/, ',by post,agent-2,off');
    await said(row);
    expect([await said(full), await said(full), await said(row)]).toEqual([['changed'], ['unchanged'], ['unchanged']]);
    const [made] = await all();
    const { body } = await service.get<Renewal>(staff, `/ops/customers/C-1/renewals`);
    expect([made?.version, body]).toMatchObject([
      2,
      { data: [{ notes: 'by post', assigned_agent: 'agent-2', reminders: 'off' }] },
    ]);
  });

  if (key === 'date') return;
  test('with another date moves the open one, and a completed one moves what follows it', async () => {
    await said(row);
    await service.forgetEvents();
    expect([await said(moved(row)), await dates(), await told()]).toEqual([
      ['changed'],
      ['2027-06-01'],
      ['renewal.changed changed'],
    ]);
    const [made] = await all();
    await renewals.move(made?.id as string, 'complete');
    const next = row.replace('2027-03-01', '2030-01-01');
    expect([await said(next), await dates()]).toEqual([['changed'], ['2027-06-01', '2030-01-01']]);
    expect(await refusal(row)).toEqual({
      column: 'due_date',
      message: 'is before 2027-06-01, of which it was renewed already',
    });
  });
});

test('a date that no row has yet is a renewal of its own where the date is all there is', async () => {
  const [, , [, row]] = byKey as [[string, string], [string, string], [string, string]];
  expect([await said(row), await said(moved(row)), await dates()]).toEqual([
    ['created'],
    ['created'],
    ['2027-03-01', '2027-06-01'],
  ]);
});

test.each([
  ['a policy', 'C-1,TRAVEL,2027-03-01,,P-1,,,'],
  ['an external id', 'C-1,TRAVEL,2027-03-01,X-1,,,,'],
])('%s whose renewals are all closed ends again at a later date, and not before', async (_, row) => {
  await said(row);
  for (const { id } of await all()) await renewals.move(id, 'complete', { create_next: false });
  expect(await refusal(row.replace('2027', '2026'))).toEqual({
    column: 'due_date',
    message: 'is before 2027-03-01, of which it was renewed already',
  });
  const next = row.replace('2027', '2028');
  expect([await said(next), await said(next), await said(row)]).toEqual([['created'], ['unchanged'], ['unchanged']]);
  expect(await all()).toMatchObject([{ status: 'COMPLETED' }, { due_date: '2028-03-01', status: 'UPCOMING' }]);
  expect([await said(next.replace('03-01', '06-01')), await dates()]).toEqual([
    ['changed'],
    ['2027-03-01', '2028-06-01'],
  ]);
});

test('an external id moves nothing that stands for another, also where that one came to follow its own', async () => {
  const permits = ['C-1,WORK_PERMIT,2027-03-01,X-1,,,,', 'C-1,WORK_PERMIT,2027-05-01,X-2,,,,'] as const;
  await said(...permits);
  const [first, second] = await all();
  const { body } = await renewals.move(first?.id as string, 'complete');
  expect(body.next_renewal?.id).toBe(second?.id);
  const next = [permits[1], permits[0].replace('2027', '2029')];
  expect(await said(...next)).toEqual(['unchanged', 'created']);
  expect(await said(...next.toReversed())).toEqual(['unchanged', 'unchanged']);
  expect(await all()).toMatchObject([
    { id: first?.id, status: 'COMPLETED' },
    { id: second?.id, due_date: '2027-05-01', status: 'UPCOMING' },
    { due_date: '2029-03-01', status: 'UPCOMING' },
  ]);
});

test('of two external ids that lead to one next renewal, the one it followed first moves it', async () => {
  const twins = ['C-1,WORK_PERMIT,2027-03-01,X-1,,,,', 'C-1,WORK_PERMIT,2027-03-01,X-2,,,,'];
  const { rows } = await take(...twins);
  for (const { id } of rows) await renewals.move(id as string, 'complete');
  const next = ['C-1,WORK_PERMIT,2029-04-01,X-1,,,,', 'C-1,WORK_PERMIT,2029-05-01,X-2,,,,'];
  expect(await said(...next)).toEqual(['changed', 'created']);
  expect(await said(...next.toReversed())).toEqual(['unchanged', 'unchanged']);
  expect(await dates()).toEqual(['2027-03-01', '2027-03-01', '2029-04-01', '2029-05-01']);
});

test('an external id that is new takes nothing that followed its like and is known by another', async () => {
  const { id } = await renewals.create({ service_type: 'INSURANCE_POLICY', policy_id: 'P-1', due_date: '2026-05-01' });
  await renewals.move(id, 'complete');
  expect(await said('C-1,INSURANCE_POLICY,2027-05-01,X-7,P-1,,,')).toEqual(['changed']);
  const row = 'C-1,INSURANCE_POLICY,2028-05-01,X-8,P-1,,,';
  expect((await files.look(csv(columns, row))).rows).toMatchObject([{ outcome: 'create' }]);
  expect([await said(row), await dates()]).toEqual([['created'], ['2026-05-01', '2027-05-01', '2028-05-01']]);
  // A list that is older than its id.
  expect([await said('C-1,INSURANCE_POLICY,2026-05-01,X-7,P-1,,,'), (await all()).length]).toEqual([['unchanged'], 3]);
});

test('an external id whose renewals are closed goes on with one that is watched already', async () => {
  const row = 'C-1,TRAVEL,2027-03-01,X-1,,,,';
  await said(row);
  await renewals.move((await all())[0]?.id as string, 'complete', { create_next: false });
  const mistaken = await renewals.create({ service_type: 'TRAVEL', due_date: '2028-03-01' });
  await renewals.move(mistaken.id, 'cancel');
  const next = row.replace('2027', '2028');
  expect((await files.look(csv(columns, next))).rows).toMatchObject([{ outcome: 'create' }]);
  const own = await renewals.create({ service_type: 'TRAVEL', due_date: '2028-03-01' });
  expect([await said(next), (await all()).length]).toEqual([['changed'], 3]);
  expect(await said(row.replace('2027-03', '2028-04'))).toEqual(['changed']);
  expect((await all()).at(-1)).toMatchObject({ id: own.id, due_date: '2028-04-01' });
});

test('an external id stands for one renewal of one customer and service type', async () => {
  await said('C-1,WORK_PERMIT,2027-03-01,X-1,,,,');
  const message = 'stands for a renewal of another customer or service type';
  expect(await refusal('C-2,WORK_PERMIT,2027-03-01,X-1,,,,')).toEqual({ column: 'external_id', message });
  expect(await refusal('C-1,RESIDENCE_PERMIT,2027-03-01,X-1,,,,')).toEqual({ column: 'external_id', message });
  // Two with ids of their own are two, however alike; one without is neither's twin but the same as either.
  expect(await said('C-1,WORK_PERMIT,2027-03-01,X-2,,,,')).toEqual(['created']);
  expect(await said('C-1,WORK_PERMIT,2027-03-01,,,,,')).toEqual(['unchanged']);
});

test('a renewal that was there already is known by the external id of its row from then on', async () => {
  const made = await renewals.create({ due_date: '2027-03-01', policy_id: 'P-1' });
  await service.forgetEvents();
  const row = 'C-1,RESIDENCE_PERMIT,2027-03-01,X-1,P-1,,,';
  expect([await said(row), await said(row), await told()]).toEqual([['changed'], ['unchanged'], []]);
  expect(await said('C-1,RESIDENCE_PERMIT,2027-06-01,X-1,,,,')).toEqual(['changed']);
  expect(await all()).toMatchObject([{ id: made.id, due_date: '2027-06-01' }]);
});

test('rows of one file that turn out to be about one renewal leave one', async () => {
  const rows = ['C-1,WORK_PERMIT,2027-03-01,X-1,P-1,,,', 'C-1,WORK_PERMIT,2027-06-01,,P-1,,,'];
  expect([await said(...rows), await dates()]).toEqual([['created', 'changed'], ['2027-06-01']]);
});

test('what was foreseen is decided on again when the rows are taken in', async () => {
  const looked = await files.look(csv(columns, 'C-1,WORK_PERMIT,2027-03-01,,,,,', 'C-1,WORK_PERMIT,2027-04-01,,,,,'));
  await renewals.create({ service_type: 'WORK_PERMIT', due_date: '2027-03-01' });
  await files.apply(looked.id);
  const taken = await files.settled(looked.id);
  expect(taken.counts).toEqual({ rows: 2, to_create: 1, to_change: 0, unchanged: 1, refused: 0, done: 1 });
  expect((await files.rows(looked.id)).map(({ outcome }) => outcome)).toEqual(['unchanged', 'created']);
  expect(await dates()).toEqual(['2027-03-01', '2027-04-01']);
});

describe('rungs that are reached already', () => {
  const ladder = [120, 80, 40, 20, 10, 5, -5];
  const rows = () => ladder.map((days) => `C-1,RESIDENCE_PERMIT,${inDays(service, days)}`);
  const bring = (query: string) => files.take(csv('customer_id,service_type,due_date', ...rows()), query);
  /** Which rungs fired, those behind closed doors marked so. */
  const refresh = async () => {
    await service.forgetEvents();
    expect((await service.post(staff, '/ops/renewals/refresh')).status).toBe(200);
    const triggered = (await service.events()).filter(({ type }) => type === 'RENEWAL_TRIGGERED');
    return triggered.map(({ data }) => `${data.rung}${data.silent ? ' silently' : ''}`).sort();
  };
  const state = async () => {
    const seen = await service.db('renewals_seen').orderBy('due_date').select('status');
    const flags = await service.db('compliance_flags').whereNull('cleared_at');
    return [seen.map(({ status }) => status).filter((status) => status === 'OVERDUE').length, flags.length];
  };

  test('fire, the most urgent of each, and the customer is not written to unless somebody says otherwise', async () => {
    await bring('');
    expect([await refresh(), await state()]).toEqual([
      ['14 silently', '30 silently', '60 silently', '7 silently', '90 silently', 'OVERDUE silently'],
      [1, 1],
    ]);
    const ledger = service.db('alerts').where({ due_date: inDays(service, 10) });
    expect(await ledger.orderBy('decided_at').select('rung', 'state')).toEqual([
      { rung: '90', state: 'SUPERSEDED' },
      { rung: '60', state: 'SUPERSEDED' },
      { rung: '30', state: 'SUPERSEDED' },
      { rung: '14', state: 'FIRED' },
    ]);
    expect(await refresh()).toEqual([]);
  });

  test('write from two weeks on when only what is urgent is to', async () => {
    await bring('&seed_alerts=urgent-only');
    expect([await refresh(), await state()]).toEqual([
      ['14', '30 silently', '60 silently', '7', '90 silently', 'OVERDUE'],
      [1, 1],
    ]);
    expect(await refresh()).toEqual([]);
  });

  test('a silent one writes again at the next rung', async () => {
    await bring('&seed_alerts=silent');
    await refresh();
    const before = service.clock.now();
    service.clock.set(`${inDays(service, 3)}T12:00:00Z`);
    expect(await refresh()).toEqual(['7']);
    service.clock.set(before.toISOString());
  });

  test('a date that a file moves alerts no more than one that comes with it', async () => {
    const row = (days: number) => `C-1,RESIDENCE_PERMIT,${inDays(service, days)},X-1,,,,`;
    await said(row(300));
    await files.take(csv(columns, row(40)));
    expect(await refresh()).toEqual(['60 silently']);
    await files.take(csv(columns, row(10)));
    expect(await refresh()).toEqual(['14 silently']);
    await files.take(csv(columns, row(5)), '&seed_alerts=urgent-only');
    expect(await refresh()).toEqual(['7']);
  });

  test.each([
    ['the day after, still silent about what was reached', 5, 6, ['7 silently']],
    ['where less is reached, silent about that', 5, 25, ['30 silently']],
    ['where more is reached, no longer silent', 25, 5, ['7']],
    ['where nothing is reached and back, no longer silent', 5, 300, []],
  ])('a date that a person moves before the first refresh is, %s', async (_, from, to, expected) => {
    await files.take(csv(columns, `C-1,RESIDENCE_PERMIT,${inDays(service, from)},X-1,,,,`));
    const [made] = await all();
    await renewals.change(made?.id as string, { due_date: inDays(service, to) });
    expect(await refresh()).toEqual(expected);
    await renewals.change(made?.id as string, { due_date: inDays(service, from) });
    expect(await refresh()).toEqual(to === 300 ? ['7'] : to === 25 ? ['7'] : []);
  });
});
