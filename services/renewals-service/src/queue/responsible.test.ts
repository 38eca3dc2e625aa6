import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { EventData } from '@ops/contracts/events';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { Renewal, RenewalQueue, RenewalSummary } from '@ops/contracts/resources/renewal';
import type { UpstreamEventOutcome } from '@ops/contracts/resources/upstream-event';
import { askForUnheard, keepNewer } from '@ops/following/customer-service';
import { rows } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import { cardOf } from '../../test/customers.ts';
import { csv, importing } from '../../test/import.ts';
import { tellOfAgents } from '../../test/notifier.ts';
import { at, inDays } from '../../test/renewals.ts';
import { automation, staff, startTestService, type TestService } from '../../test/service.ts';
import { policyIssued, renewalsOf } from '../../test/upstream.ts';
import { followCustomers } from '../renewals/customer-agent-service.ts';
import { watchExpiry } from '../renewals/watch-service.ts';

let service: TestService;
let renewals: ReturnType<typeof at>;

beforeAll(async () => {
  service = await startTestService();
  renewals = at(service);
  service.customers.add({ id: 'C-1' }, { id: 'C-2' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.empty();
  await emptyTables(service.db, 'agents');
  await tellOfAgents(service.db, 'ada', 'bob', 'cleo');
});

const far = '2199-12-31';
const event = <T extends string>(type: T, data: object) => ({
  event: {
    specversion: '1.0' as const,
    id: uuidv7(),
    source: 'test',
    type,
    subject: 'x',
    time: '2026-03-02T11:00:00Z',
    data: data as Record<string, unknown>,
  },
});
const agentTold = (agent_id: string, version: number, more: Partial<EventData<'agent.changed'>> = {}) =>
  event('agent.changed', {
    agent_id,
    name: agent_id,
    absent_until: null,
    deputy: null,
    version,
    occurred_at: '2026-03-02T11:00:00Z',
    ...more,
  });
const customerTold = (assigned_agent: string | null, version: number) => {
  const { id: customer_id, ...card } = cardOf('C-1');
  return event('customer.changed', {
    ...card,
    customer_id,
    assigned_agent,
    version,
    occurred_at: '2026-03-02T11:00:00Z',
  });
};

const queue = async (query = '') => (await service.get<RenewalQueue>(staff, `/ops/renewals${query}`)).body.data;
const idsOf = async (agent: string, more = '') => (await queue(`?assigned_agent=${agent}${more}`)).map(({ id }) => id);
const counted = async (agent: string) =>
  (await service.get<RenewalSummary>(staff, `/ops/renewals/summary?assigned_agent=${agent}`)).body.by_service_type;
const refusal = ({ status, body }: { status: number; body: Problem }) => [status, body.errors?.[0]?.path];

test('a renewal without an agent of its own is its customer’s agent’s wherever it is asked for, and goes along', async () => {
  const { id } = await renewals.create({ due_date: inDays(service, 10) });
  const own = await renewals.create({ assigned_agent: 'cleo' });
  const closed = await renewals.create({ service_type: 'WORK_PERMIT' });
  await renewals.move(closed.id, 'cancel');
  expect([await idsOf(''), own.responsible_agent]).toEqual([[id], 'cleo']);
  await service.forgetEvents();
  // The older one comes late.
  await service.bus.publish([customerTold('ada', 3), customerTold('bob', 2)]);
  await eventually(async () => expect(await idsOf('ada')).toEqual([id]));
  expect([await idsOf('bob'), await idsOf(''), await idsOf('cleo')]).toEqual([[], [], [own.id]]);
  expect(await counted('ada')).toMatchObject([{ count: 1 }, { status: 'CANCELLED', count: 1 }]);
  expect(await counted('')).toEqual([]);
  expect(await idsOf('ada', '&status=CANCELLED')).toEqual([closed.id]);
  expect(await idsOf('ada', '&status=UPCOMING&window=30')).toEqual([id]);
  const { body } = await service.get<Renewal>(staff, `/ops/renewals/${id}`);
  expect(body).toMatchObject({ assigned_agent: null, responsible_agent: 'ada', version: 1 });
  const { body: theirs } = await service.get<RenewalQueue>(staff, '/ops/customers/C-1/renewals?assigned_agent=ada');
  expect(theirs.data.map((one) => one.id)).toEqual([id, closed.id]);
  const news = (await service.events()).map(({ type, data }) => [type, data.renewal_id, data.version]);
  expect(news).toEqual([['renewal.changed', id, 1]]);
  // What is made from now on is the customer's agent's from the first.
  expect(await renewals.create({ service_type: 'PET_LICENCE' })).toMatchObject({ responsible_agent: 'ada' });
});

test('an absent agent’s are their deputy’s, without one nobody’s, and theirs again when they are back', async () => {
  const { id } = await renewals.create({ assigned_agent: 'ada', due_date: inDays(service, 10) });
  const { id: mine } = await renewals.create({ assigned_agent: 'bob' });
  await service.bus.publish([agentTold('ada', 2, { absent_until: far, deputy: 'bob' }), agentTold('ada', 1)]);
  await eventually(async () => expect(await idsOf('bob')).toEqual([id, mine]));
  expect(await queue()).toMatchObject([{ id, assigned_agent: 'ada', responsible_agent: 'bob' }, { id: mine }]);
  const [first] = await queue('?assigned_agent=bob&limit=1');
  expect(first?.id).toBe(id);
  await service.bus.publish([agentTold('bob', 2, { absent_until: far, deputy: 'cleo' })]);
  await eventually(async () => expect(await idsOf('cleo')).toEqual([mine]));
  expect([await idsOf(''), await idsOf('bob')]).toEqual([[id], []]);
  await service.bus.publish([agentTold('ada', 3, { absent_until: inDays(service, 0), deputy: 'bob' })]);
  await eventually(async () => expect(await service.db('agents').where({ version: 3 })).toHaveLength(1));
  expect(await idsOf('')).toEqual([id]);
  service.clock.set('2026-03-03T12:00:00Z');
  expect(await idsOf('ada')).toEqual([id]);
  service.clock.set('2026-03-02T12:00:00Z');
});

test('what is over stays with whoever had it, absent or not', async () => {
  const { id } = await renewals.create({ assigned_agent: 'ada' });
  const { id: over } = await renewals.create({ assigned_agent: 'ada', service_type: 'WORK_PERMIT' });
  await renewals.move(over, 'cancel');
  await service.bus.publish([agentTold('ada', 2, { absent_until: far, deputy: 'bob' })]);
  await eventually(async () => expect(await idsOf('bob')).toEqual([id]));
  const closed = [{ status: 'CANCELLED', count: 1 }];
  expect([await idsOf('ada', '&status=CANCELLED'), await counted('ada')]).toMatchObject([[over], closed]);
  expect([await idsOf('bob', '&status=CANCELLED'), await counted('bob')]).toMatchObject([[], [{ status: 'UPCOMING' }]]);
  const theirs = async (agent: string) =>
    (await service.get<Page<Renewal>>(staff, `/ops/customers/C-1/renewals?assigned_agent=${agent}`)).body.data.map(
      (one) => one.id,
    );
  expect([await theirs('ada'), await theirs('bob')]).toEqual([[over], [id]]);
  const { body } = await service.get<Renewal>(staff, `/ops/renewals/${over}`);
  expect(body).toMatchObject({ responsible_agent: 'ada' });
  await service.bus.publish([agentTold('ada', 3, { absent_until: far })]);
  await eventually(async () => expect(await idsOf('')).toEqual([id]));
  expect([await idsOf('', '&status=CANCELLED'), await counted('')]).toMatchObject([[], [{ status: 'UPCOMING' }]]);
});

test('an agent nobody knows is refused by name; who has one from before may keep it, and it reads as nobody', async () => {
  const { id, due_date } = await renewals.create();
  const create = { service_type: 'WORK_PERMIT', due_date, assigned_agent: 'ghost' };
  const assign = { renewal_ids: [id], assigned_agent: 'ghost' };
  const answers = [
    await service.post<Problem>(staff, '/ops/customers/C-1/renewals', create),
    await renewals.change<Problem>(id, { assigned_agent: 'ghost' }),
    await service.post<Problem>(staff, '/ops/renewals/assign', assign),
  ];
  for (const answer of answers) expect(refusal(answer)).toEqual([422, 'assigned_agent']);
  // notifier knows of whom nothing was heard here yet; while it is away nobody can say.
  expect((await renewals.change(id, { assigned_agent: 'new-here' })).body).toMatchObject({
    assigned_agent: 'new-here',
  });
  service.notifier.away(true);
  expect((await renewals.change(id, { assigned_agent: 'ghost' })).status).toBe(503);
  expect((await renewals.change(id, { assigned_agent: 'ada' })).status).toBe(200);
  service.notifier.away(false);
  await service.db('renewals').update({ assigned_agent: 'ghost' });
  const kept = await renewals.change(id, { assigned_agent: 'ghost', notes: 'Called' });
  expect(kept.body).toMatchObject({ assigned_agent: 'ghost', responsible_agent: null, notes: 'Called' });
  expect(await idsOf('')).toEqual([id]);
});

test('a row that gives to somebody nobody knows is refused; one that names who has it already is not', async () => {
  const file = (...rows: string[]) => csv('customer_id,service_type,due_date,assigned_agent', ...rows);
  await service.db('renewals').delete();
  const { id } = await renewals.create({ due_date: '2027-01-01' });
  await service.db('renewals').where({ id }).update({ assigned_agent: 'ghost' });
  const sent = file(
    'C-1,RESIDENCE_PERMIT,2027-01-01,ghost',
    'C-2,RESIDENCE_PERMIT,2027-01-01,ghost',
    'C-2,OTHER,2027-01-01,ada',
  );
  const refused = {
    outcome: 'refused',
    errors: [{ column: 'assigned_agent', message: 'is not a known agent: ghost' }],
  };
  expect((await importing(service).look(sent)).rows).toMatchObject([
    { outcome: 'unchanged' },
    refused,
    { outcome: 'create' },
  ]);
  expect((await importing(service).take(sent)).rows).toMatchObject([
    { outcome: 'unchanged' },
    refused,
    { outcome: 'created' },
  ]);
});

test('of an agent nobody knows upstream’s date is taken, left unassigned, and says whom it named', async () => {
  const tell = async (end_date: string, hour: number, assigned_agent = 'ghost') =>
    (
      await service.post<UpstreamEventOutcome>(
        automation,
        '/ops/events',
        policyIssued('P-1', end_date, { assigned_agent }, { time: `2026-03-02T0${hour}:00:00Z` }),
      )
    ).body;
  const note = 'Upstream names an agent nobody here knows: ghost';
  expect(await tell('2027-01-01', 1)).toMatchObject({ outcome: 'created' });
  expect(await renewalsOf(service)).toMatchObject([{ assigned_agent: null, notes: note }]);
  expect(await tell('2027-01-01', 2)).toMatchObject({ outcome: 'unchanged' });
  expect(await tell('2027-01-01', 3, 'ada')).toMatchObject({ outcome: 'moved' });
  const [made] = await renewalsOf(service);
  await renewals.change(made?.id ?? '', { notes: 'By phone' });
  await tell('2027-02-01', 4, 'ghost-2');
  expect(await renewalsOf(service)).toMatchObject([
    { assigned_agent: null, due_date: '2027-02-01', notes: `By phone\n${note}-2` },
  ]);
  // As the version before left it.
  await service.db('renewals').update({ assigned_agent: 'ghost' });
  await service.db('upstream_statements').update({ assigned_agent: 'ghost' });
  await tell('2027-03-01', 5);
  expect(await renewalsOf(service)).toMatchObject([{ assigned_agent: 'ghost', due_date: '2027-03-01' }]);
  // What is watched anew is given to nobody, whatever was said before.
  await renewals.move(made?.id ?? '', 'cancel');
  expect(await tell('2028-03-01', 6)).toMatchObject({ outcome: 'created' });
  expect((await renewalsOf(service)).at(-1)).toMatchObject({ assigned_agent: null, notes: note });
  await tellOfAgents(service.db, 'ghost');
  expect(await tell('2028-03-01', 7)).toMatchObject({ outcome: 'moved' });
  expect((await renewalsOf(service)).at(-1)).toMatchObject({ assigned_agent: 'ghost' });
});

test('many renewals are made beside customers that are handed over, neither waiting for the other', async () => {
  const customers = ['C-1', 'C-2'];
  const wanted = customers.toReversed().map((customer_id) => ({
    customer_id,
    service_type: 'WORK_PERMIT',
    due_date: '2027-01-01',
    policy_id: null,
    notes: null,
    assigned_agent: null,
  }));
  const facts = customers.map((customer_id) => ({ customer_id, assigned_agent: 'ada', version: 1 }));
  const waiting = () =>
    rows(
      service.db,
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      {},
    );
  let making: Promise<unknown> = Promise.resolve();
  await service.db.transaction(async (trx) => {
    await keepNewer(trx, facts.slice(0, 1));
    making = service.db.transaction((other) => watchExpiry(service.deps, other, wanted));
    await Promise.race([making, eventually(async () => expect(await waiting()).not.toEqual([]))]);
    await keepNewer(trx, facts.slice(1));
  });
  await making;
  expect(await idsOf('ada')).toHaveLength(2);
});

test('customers from before anybody followed them are asked for, until nobody is left to ask for', async () => {
  service.customers.add({ id: 'C-2', assigned_agent: 'bob', version: 4 });
  const { id } = await renewals.create({}, 'C-2');
  await service.post(automation, '/ops/events', policyIssued('P-9', '2027-01-01', { customer_id: 'C-unknown' }));
  await service.db('followed_customers').update({ version: null, assigned_agent: null });
  service.customers.calls();
  const ask = () =>
    askForUnheard(service.deps.customers, service.db, (trx, facts) => followCustomers(service.deps, trx, facts));
  for (let turn = 0; turn < 2; turn++) await ask();
  expect(service.customers.calls()).toBe(1);
  expect(await idsOf('bob')).toEqual([id]);
  expect(await service.db('followed_customers').orderBy('customer_id')).toEqual([
    { customer_id: 'C-2', assigned_agent: 'bob', version: 4 },
    { customer_id: 'C-unknown', assigned_agent: null, version: 0 },
  ]);
  service.customers.add({ id: 'C-2', assigned_agent: null });
});
