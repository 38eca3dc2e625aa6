import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { EventData } from '@ops/contracts/events';
import type { Foreseen } from '@ops/contracts/resources/refresh';
import type { RenewalDetail, RenewalQueue } from '@ops/contracts/resources/renewal';
import { inTransaction } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { planOf, usualOutreach } from '../../test/notifier.ts';
import { at } from '../../test/renewals.ts';
import { firstDay, staff, startTestService, type TestService } from '../../test/service.ts';
import { type Changed, changed, planned } from '../../test/statements-told.ts';
import { takeMessages, takeOutcomes } from '../alert-outcomes/alert-service.ts';
import { followAlertPlan } from '../alert-plan/plan-service.ts';
import { followCustomers } from '../renewals/customer-agent-service.ts';

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
  await service.db('followed_alert_plan').update({ version: 0 });
  await follow(usualOutreach, 1);
  service.clock.set(`${firstDay}T02:00:00Z`);
});

const due_date = addDays(firstDay, 60);
const day = (after: number) => addDays(firstDay, after);
/** That night's refresh; days count from the first. */
async function night(after: number) {
  service.clock.set(`${day(after)}T02:00:00Z`);
  return (await service.post<{ counts: { outreach: number } }>(staff, '/ops/renewals/refresh')).body;
}
const plan = (of: typeof usualOutreach, version: number) =>
  ({ type: 'alert_plan.changed', data: { ...planOf(of, version), fall_through: [], quiet_hours: null } }) as never;
const follow = (of: typeof usualOutreach, version: number) =>
  inTransaction(service.db, (trx) => followAlertPlan(trx, [plan(of, version)]));

const outreachTold = async () =>
  (await service.events())
    .filter(({ type }) => type === 'renewal.outreach')
    .map(({ data }) => data as EventData<'renewal.outreach'>);
const gone = async () => (await outreachTold()).map(({ step, days_until_due }) => [step, 60 - days_until_due]);
const detail = async (id: string) => (await service.get<RenewalDetail>(staff, `/ops/renewals/${id}`)).body;
const ledger = async (id: string) =>
  (await detail(id)).alerts
    .filter(({ rung, step }) => rung === '60' && step !== '0')
    .map(({ step, state, because }) => [step, state, because])
    .sort();
const statesOf = async (id: string) => (await detail(id)).sequence?.steps.map(({ state }) => state);

async function begin() {
  const renewal = await renewals.create({ due_date });
  await night(0);
  return renewal;
}

const said = (message: Partial<Changed> & Pick<Changed, 'communication_id' | 'renewal_id'>) => {
  const now = service.clock.now().toISOString();
  const heard = changed({ direction: 'INBOUND', status: 'RECEIVED', written_at: now, ...message }, now);
  return inTransaction(service.db, (trx) => takeMessages(service.deps, trx, [heard]));
};

test('steps follow the alert as the plan had them that night: each once, on its day', async () => {
  const { id } = await begin();
  await follow([], 2);
  for (let after = 1; after <= 29; after++) await night(after);
  expect(await gone()).toEqual([
    ['1', 7],
    ['2', 14],
    ['3', 21],
  ]);
  const [first, , third] = await outreachTold();
  expect(first).toMatchObject({
    renewal_id: id,
    rung: '60',
    does: { channels: ['EMAIL'], task: null },
    superseded: [],
  });
  expect(third).toMatchObject({ does: { channels: [], task: 'NORMAL' } });
  expect(await statesOf(id)).toEqual(['FIRED', 'FIRED', 'FIRED']);
  expect((await service.events()).filter(({ type }) => type === 'RENEWAL_TRIGGERED')).toHaveLength(1);
  expect(await renewals.row(id)).toMatchObject({ next_alert_on: day(30), version: 1 });
  const later = await renewals.create({ due_date: addDays(due_date, 29) });
  await night(29);
  expect((await detail(later.id)).sequence).toBeNull();
});

test('after missed nights only the latest step goes, and the next rung ends them all', async () => {
  const { id } = await begin();
  await night(16);
  expect(await gone()).toEqual([['2', 16]]);
  expect(await ledger(id)).toEqual([
    ['1', 'SUPERSEDED', 'later_step'],
    ['2', 'FIRED', null],
  ]);
  await night(30);
  expect(await gone()).toEqual([['2', 16]]);
  expect((await ledger(id))[2]).toEqual(['3', 'SUPERSEDED', 'next_rung']);
  expect((await detail(id)).sequence).toBeNull();
});

const byHand = (acknowledged_at: Date) => ({ acknowledged_by: 'agent-1', acknowledged_at });

const stops: [string, (id: string) => Promise<unknown>, string][] = [
  ['an answer', (id) => said({ communication_id: uuidv7(), renewal_id: id }), 'answered'],
  ['a start', (id) => renewals.move(id, 'start'), 'started'],
  [
    'an acknowledgement',
    (id) => service.patch(staff, `/ops/renewals/${id}/acknowledge`, { until: addDays(service.deps.today(), 2) }),
    'acknowledged',
  ],
  ['its end', (id) => renewals.move(id, 'cancel'), 'closed'],
  ['another date', (id) => renewals.change(id, { due_date: addDays(due_date, 1) }), 'moved'],
];

test.each(stops)('%s ends it: no further step, and the ladder says why', async (_, stop, because) => {
  const { id } = await begin();
  await night(8);
  service.clock.set(`${day(9)}T12:00:00Z`);
  await stop(id);
  expect(await statesOf(id)).toEqual(['FIRED', 'ENDED', 'ENDED']);
  expect((await detail(id)).sequence?.ended).toBe(because);
  if (because !== 'closed') expect((await renewals.row(id)).next_alert_on >= day(30)).toBe(true);
  if (because === 'started') await renewals.move(id, 'release');
  for (const after of [10, 12, 14, 21, 24]) await night(after);
  expect((await gone()).map(([step]) => step)).toEqual(['1']);
  await night(31);
  const skipped = because === 'closed' ? [] : ['2', '3'].map((step) => [step, 'SUPERSEDED', because]);
  expect(await ledger(id)).toEqual([['1', 'FIRED', null], ...skipped]);
});

test.each(['started', 'acknowledged', 'answered'] as const)(
  'a call that would be due while it is %s goes no more, neither then nor when nothing holds it any more',
  async (because) => {
    const { id } = await begin();
    for (const after of [7, 14]) await night(after);
    service.clock.set(`${day(20)}T12:00:00Z`);
    if (because === 'started') await renewals.move(id, 'start');
    if (because === 'answered') await said({ communication_id: uuidv7(), renewal_id: id });
    const until = day(25);
    if (because === 'acknowledged') await service.patch(staff, `/ops/renewals/${id}/acknowledge`, { until });
    await night(21);
    expect((await detail(id)).sequence).toMatchObject({
      ended: because,
      steps: [{ because: null }, { because: null }, { state: 'ENDED', because }],
    });
    await renewals.move(id, 'release');
    for (const after of [22, 25, 29]) await night(after);
    expect((await gone()).map(([step]) => step)).toEqual(['1', '2']);
    expect(await renewals.row(id)).toMatchObject({ next_alert_on: day(30) });
  },
);

test('a hold that was in force when its sequence was not ended ends it the night its call is due', async () => {
  const { id } = await begin();
  for (const after of [7, 14]) await night(after);
  await service
    .db('renewals')
    .where({ id })
    .update({ acknowledged_until: day(25), ...byHand(service.clock.now()) });
  await night(21);
  expect((await detail(id)).sequence).toMatchObject({ ended: 'acknowledged' });
  expect((await gone()).map(([step]) => step)).toEqual(['1', '2']);
});

test('an answer from two weeks before the date on ends it, though it holds nothing', async () => {
  await follow([], 2);
  const late = { '14': [{ after_days: 3, channels: ['EMAIL'], task: null }] };
  await service.db('followed_alert_plan').update({ outreach: JSON.stringify(late) });
  const { id } = await renewals.create({ due_date: day(14) });
  await night(0);
  await said({ communication_id: uuidv7(), renewal_id: id });
  expect(await detail(id)).toMatchObject({ hold: null, sequence: { ended: 'answered' } });
  await night(3);
  expect(await gone()).toEqual([]);
});

test('an answer that was about something else after all, and a close that is undone, do not end it', async () => {
  const { id } = await begin();
  const other = await renewals.create();
  const communication_id = uuidv7();
  await said({ communication_id, renewal_id: id });
  await said({ communication_id, renewal_id: other.id, change: 'moved' });
  expect(await renewals.row(id)).toMatchObject({ next_alert_on: day(7) });
  await renewals.move(id, 'cancel');
  await renewals.move(id, 'reopen');
  expect(await renewals.row(id)).toMatchObject({ next_alert_on: day(7) });
  await night(7);
  expect((await gone()).map(([step]) => step)).toEqual(['1']);
});

test('a release does not take up what its hold ended, whatever is heard of the answer later', async () => {
  const { id } = await begin();
  const communication_id = uuidv7();
  await said({ communication_id, renewal_id: id });
  await renewals.move(id, 'release');
  await said({ communication_id, renewal_id: id, change: 'amended' });
  for (const after of [7, 14, 21]) await night(after);
  expect(await gone()).toEqual([]);
});

test('nothing follows an alert that fires while somebody is at it, or silently', async () => {
  const held = await renewals.create({ due_date });
  await renewals.move(held.id, 'start');
  const silent = await renewals.create({ due_date });
  await service.db('renewals').where({ id: silent.id }).update({ silent_through: '60' });
  await night(0);
  for (const { id } of [held, silent]) expect((await detail(id)).sequence).toBeNull();
});

test('a dry run and the queue tell the next step', async () => {
  const { id } = await begin();
  const next = async () => {
    const { body } = await service.get<RenewalQueue>(staff, '/ops/renewals?window=90');
    return body.data[0]?.next_alert;
  };
  expect(await next()).toEqual({ rung: '60', on: day(7), step: '1', does: { channels: ['EMAIL'], task: null } });
  await night(14);
  expect(await next()).toEqual({ rung: '60', on: day(21), step: '3', does: { channels: [], task: 'NORMAL' } });
  service.clock.set(`${day(22)}T02:00:00Z`);
  const [foreseen] = (await service.post<{ data: Foreseen[] }>(staff, '/ops/renewals/refresh?dry_run=true')).body.data;
  expect(foreseen).toMatchObject({
    renewal_id: id,
    fires: null,
    because: 'outreach',
    goes: { rung: '60', step: '3', does: { channels: [], task: 'NORMAL' } },
    sends_after_hold: null,
    explanation: '38 days until due: already fired: 60; superseded: 90; step 3 after 60: a NORMAL task to call',
  });
  expect(await night(22)).toMatchObject({ counts: { outreach: 1, fired: 0 } });
  expect(await next()).toEqual({ rung: '30', on: day(30), step: '0', does: null });
});

const unknown = { code: 'unknown_customer', message: 'Nobody has described this customer yet' };
const customer = (version: number) =>
  inTransaction(service.db, (trx) =>
    followCustomers(service.deps, trx, { facts: [{ customer_id: 'C-1', assigned_agent: null, version }], merges: [] }),
  );
const outcome = (renewal_id: string, rung: '60' | '30', step = '0') => {
  const about = { renewal_id, due_date, rung, step, outcome: 'not_sent' as const, reason: unknown };
  return inTransaction(service.db, (trx) =>
    takeOutcomes(service.deps, trx, [planned(about, service.clock.now().toISOString())]),
  );
};

test.each(['the outcome', 'the customer'])(
  'a customer becomes known, %s being heard first: told once at the tightest rung by the next refresh',
  async (first) => {
    const { id } = await begin();
    if (first === 'the outcome') {
      await outcome(id, '60');
      await night(1);
      expect(await gone()).toEqual([]);
      await customer(1);
    } else {
      await customer(1);
      await outcome(id, '60');
    }
    expect((await renewals.row(id)).next_alert_on <= service.deps.today()).toBe(true);
    await night(2);
    await night(3);
    expect(await outreachTold()).toMatchObject([{ step: 'customer_known', rung: '60', does: null }]);
    await night(7);
    expect((await gone()).map(([step]) => step)).toEqual(['customer_known', '1']);
  },
);

test('known while it is held: told when nothing holds it any more', async () => {
  const { id } = await begin();
  await outcome(id, '60');
  await renewals.move(id, 'start');
  await customer(1);
  await night(2);
  expect(await gone()).toEqual([]);
  await renewals.move(id, 'release');
  await night(3);
  expect((await gone()).map(([step]) => step)).toEqual(['customer_known']);
});
