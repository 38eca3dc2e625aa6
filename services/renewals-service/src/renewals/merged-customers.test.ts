import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { ComplianceFlag, Renewal } from '@ops/contracts/resources/renewal';
import type { UpstreamEventOutcome } from '@ops/contracts/resources/upstream-event';
import { askForUnheard } from '@ops/following/customer-service';
import { into } from '@ops/following/test/merges';
import { inTransaction } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import { cardOf } from '../../test/customers.ts';
import { csv, importing } from '../../test/import.ts';
import { astray, mergesAt } from '../../test/merging.ts';
import { alerted, at, inDays } from '../../test/renewals.ts';
import { automation, staff, startTestService, type TestService } from '../../test/service.ts';
import { policyIssued, renewalsOf } from '../../test/upstream.ts';
import { followCustomers } from './customer-agent-service.ts';

let service: TestService;
let renewals: ReturnType<typeof at>;
let merges: ReturnType<typeof mergesAt>;

beforeAll(async () => {
  service = await startTestService();
  renewals = at(service);
  merges = mergesAt(service.db, service.deps);
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.empty();
  await emptyTables(service.db, 'customer_aliases');
  service.customers.add(...['C-A', 'C-B', 'C-C'].map((id) => ({ id, merged: null })));
});
afterEach(async () => expect(await astray(service.db)).toEqual([]));

const insurance = (given: object = {}) => ({ service_type: 'INSURANCE_POLICY', policy_id: 'P-1', ...given });
const idsOf = async (customer: string) => (await renewalsOf(service, customer)).map(({ id }) => id).sort();
const tell = async (customer_id: string, days: number, hour: number): Promise<UpstreamEventOutcome> => {
  const time = `2026-03-01T0${hour}:00:00Z`;
  const event = policyIssued('P-1', inDays(service, days), { customer_id }, { time });
  return (await service.post<UpstreamEventOutcome>(automation, '/ops/events', event)).body;
};

test('renewals and flags go to whom the id leads to, by way of others too, and back again, and who looks is told', async () => {
  const [a, b] = [await renewals.create({}, 'C-A'), await renewals.create({}, 'C-B')];
  await alerted(service, a, ['90', '60', '30', '14', '7', 'OVERDUE']);
  const { version } = await renewals.row(a.id);
  await service.forgetEvents();
  await merges.follow(into('C-A', 'C-B', 1));
  expect(await service.events()).toMatchObject([
    {
      type: 'renewal.changed',
      data: { renewal_id: a.id, customer_id: 'C-B', written_under: 'C-A', change: 'changed' },
    },
  ]);
  for (const id of ['C-A', 'C-B']) expect(await idsOf(id)).toEqual([a.id, b.id].sort());
  const flags = await service.get<Page<ComplianceFlag>>(staff, '/ops/customers/C-A/compliance-flags');
  expect(flags.body.data).toMatchObject([{ renewal_id: a.id, customer_id: 'C-B', state: 'open' }]);
  await merges.follow(into('C-B', 'C-C', 1));
  expect(await idsOf('C-A')).toEqual(await idsOf('C-C'));
  await merges.follow(into('C-B', null, 2), into('C-A', null, 2));
  expect([await idsOf('C-A'), await idsOf('C-B'), await idsOf('C-C')]).toEqual([[a.id], [b.id], []]);
  expect((await renewals.row(a.id)).version).toBe(version);
});

test('it is heard of over the bus, beside what else is told of customers', async () => {
  const { id } = await renewals.create({}, 'C-A');
  const told = (type: string, data: object) => ({
    event: {
      specversion: '1.0' as const,
      id: uuidv7(),
      source: 'test',
      type,
      subject: 'C-A',
      time: '2026-03-02T11:00:00Z',
      data: { customer_id: 'C-A', occurred_at: '2026-03-02T11:00:00Z', ...data },
    },
  });
  await service.bus.publish([
    told('customer.changed', { ...cardOf('C-A'), assigned_agent: 'agent-1', version: 1 }),
    told('customer.merged', { into: 'C-B', version: 1 }),
    told('customer.changed', { ...cardOf('C-B'), customer_id: 'C-B', assigned_agent: 'agent-2', version: 1 }),
  ]);
  await eventually(async () =>
    expect(await renewalsOf(service, 'C-B')).toMatchObject([{ id, customer_id: 'C-B', responsible_agent: 'agent-2' }]),
  );
});

test('the newest decision counts, in whatever order and however often it is told, also before the customer is known', async () => {
  await merges.follow(into('C-A', null, 4));
  await merges.follow(into('C-A', 'C-B', 3));
  const first = await renewals.create({}, 'C-A');
  expect(await idsOf('C-A')).toEqual([first.id]);
  await merges.follow(into('C-A', 'C-B', 5), into('C-A', 'C-C', 6));
  await service.forgetEvents();
  await merges.follow(into('C-A', 'C-C', 6), into('C-A', 'C-B', 5));
  expect([await idsOf('C-C'), await idsOf('C-B'), await service.events()]).toEqual([[first.id], [], []]);
});

test("what is made under the old id is the customer's, goes back with it, and so does what follows from it", async () => {
  await merges.follow(into('C-A', 'C-B', 1));
  const made = await renewals.create({ due_date: inDays(service, 10) }, 'C-A');
  expect(made.customer_id).toBe('C-B');
  const completed = await renewals.move(made.id, 'complete', { next_due_date: inDays(service, 375) });
  const next = completed.body.next_renewal as Renewal;
  expect(next.customer_id).toBe('C-B');
  await merges.follow(into('C-A', null, 2));
  expect(await idsOf('C-A')).toEqual([made.id, next.id].sort());
  expect(await idsOf('C-B')).toEqual([]);
});

test('one of the same policy and day is not watched twice, under whichever of the ids', async () => {
  const due_date = inDays(service, 100);
  const own = await renewals.create(insurance({ due_date }), 'C-B');
  await merges.follow(into('C-A', 'C-B', 1));
  const twin = await service.post<Problem>(staff, '/ops/customers/C-A/renewals', insurance({ due_date }));
  expect([twin.status, twin.body]).toMatchObject([409, { code: 'already_watched', renewal_id: own.id }]);
  const other = await renewals.create(insurance({ due_date: inDays(service, 99) }), 'C-A');
  expect((await renewals.change<Problem>(other.id, { due_date })).body).toMatchObject({ code: 'already_watched' });
});

test('completing finds the next one that the other id has', async () => {
  const [now, later] = [
    await renewals.create(insurance({ due_date: inDays(service, 5) }), 'C-A'),
    await renewals.create(insurance({ due_date: inDays(service, 370) }), 'C-B'),
  ];
  await merges.follow(into('C-A', 'C-B', 1));
  const { body } = await renewals.move(now.id, 'complete');
  expect(body.next_renewal?.id).toBe(later.id);
});

test('an event about the old id moves what stands under the other, and no twin is made', async () => {
  const { renewal_id } = await tell('C-B', 100, 1);
  await merges.follow(into('C-A', 'C-B', 1));
  expect(await tell('C-A', 120, 2)).toEqual(expect.objectContaining({ outcome: 'moved', renewal_id }));
  expect(await tell('C-B', 130, 3)).toEqual(expect.objectContaining({ outcome: 'moved', renewal_id }));
  expect(await renewalsOf(service, 'C-B')).toMatchObject([{ id: renewal_id, due_date: inDays(service, 130) }]);
});

test('what staff watch under one id is adopted for an event about the other', async () => {
  const own = await renewals.create(insurance({ due_date: inDays(service, 100) }), 'C-B');
  await merges.follow(into('C-A', 'C-B', 1));
  expect(await tell('C-A', 120, 2)).toEqual(expect.objectContaining({ outcome: 'adopted', renewal_id: own.id }));
});

test('of a merge nobody told of, comms-service is asked before an event takes a policy from one to the other', async () => {
  const { renewal_id } = await tell('C-B', 100, 1);
  service.customers.add({ id: 'C-A', merged: { into: 'C-B', version: 1 } });
  expect(await tell('C-A', 120, 2)).toEqual(expect.objectContaining({ outcome: 'moved', renewal_id }));
  service.customers.away(true);
  const event = await tell('C-C', 130, 3);
  service.customers.away(false);
  expect(event.outcome).toBe('created');
});

test('of a merge nobody told of yet, whoever makes or lists something under the old id learns of it', async () => {
  const own = await renewals.create({}, 'C-B');
  const before = await renewals.create({}, 'C-A');
  service.customers.add({ id: 'C-A', merged: { into: 'C-B', version: 1 } });
  const made = await renewals.create({}, 'C-A');
  expect(made.customer_id).toBe('C-B');
  expect(await idsOf('C-B')).toEqual([own.id, before.id, made.id].sort());
  service.customers.add({ id: 'C-C', merged: { into: 'C-B', version: 1 } });
  expect(await idsOf('C-C')).toEqual(await idsOf('C-B'));
  await merges.follow(into('C-A', 'C-B', 1));
});

test("an id nobody described yet turns out to be another's when it is asked for", async () => {
  const made = await renewals.create({ due_date: inDays(service, 50) }, 'C-A');
  service.customers.add({ id: 'C-A', assigned_agent: 'agent-2', merged: { into: 'C-B', version: 1 }, version: 9 });
  service.customers.add({ id: 'C-B', assigned_agent: 'agent-1', version: 2 });
  await askForUnheard(service.deps.customers, service.db, (trx, told) => followCustomers(service.deps, trx, told));
  expect(await renewals.row(made.id)).toMatchObject({ customer_id: 'C-B', customer_agent: 'agent-1' });
  await merges.follow(into('C-A', null, 2));
  await inTransaction(service.db, (trx) =>
    followCustomers(service.deps, trx, {
      facts: [{ customer_id: 'C-A', assigned_agent: 'agent-3', version: 3 }],
      merges: [],
    }),
  );
  expect(await renewals.row(made.id)).toMatchObject({ customer_id: 'C-A', customer_agent: 'agent-3' });
});

test('rows of a file that name the old id are about the customer', async () => {
  const columns = 'customer_id,service_type,due_date,external_id,policy_id';
  const files = importing(service);
  const outcomes = async (...lines: string[]) =>
    (await files.take(csv(columns, ...lines))).rows.map(({ outcome }) => outcome);
  expect(await outcomes('C-B,INSURANCE_POLICY,2027-03-01,X-1,P-1', 'C-B,RESIDENCE_PERMIT,2027-04-01,,')).toEqual([
    'created',
    'created',
  ]);
  await merges.follow(into('C-A', 'C-B', 1));
  expect(
    await outcomes(
      'C-A,INSURANCE_POLICY,2027-03-02,X-1,P-1',
      'C-A,RESIDENCE_PERMIT,2027-04-01,,',
      'C-A,INSURANCE_POLICY,2027-05-01,,P-2',
      'C-B,INSURANCE_POLICY,2027-06-01,,P-2',
    ),
  ).toEqual(['changed', 'unchanged', 'created', 'refused']);
  await merges.follow(into('C-A', null, 2));
  expect((await renewalsOf(service, 'C-A')).map(({ policy_id }) => policy_id)).toEqual(['P-2']);
});
