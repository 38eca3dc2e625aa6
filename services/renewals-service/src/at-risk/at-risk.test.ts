import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { RefreshRun } from '@ops/contracts/resources/refresh';
import type { RenewalDetail, RenewalQueue, RiskReason } from '@ops/contracts/resources/renewal';
import { rows } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import fc from 'fast-check';
import { alerted, at, inDays } from '../../test/renewals.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import { changed, taskTold } from '../../test/statements-told.ts';
import { insertRenewals } from '../../test/world.ts';
import { figures } from '../figures.ts';

let service: TestService;
let renewals: ReturnType<typeof at>;

const far = '2199-12-31';
const agents = [
  { id: 'there', absent_until: null, deputy: null },
  { id: 'away', absent_until: far, deputy: null },
  { id: 'stood-in-for', absent_until: far, deputy: 'there' },
  { id: 'twice-away', absent_until: far, deputy: 'away' },
];

beforeAll(async () => {
  service = await startTestService();
  renewals = at(service);
  service.customers.add({ id: 'C-1' });
  await emptyTables(service.db, 'agents');
  await service.db('agents').insert(agents.map((agent) => ({ ...agent, name: agent.id, version: 1 })));
});
afterAll(() => service.close());
beforeEach(() => service.empty());

const queue = async (query = '?at_risk=true') =>
  (await service.get<RenewalQueue>(staff, `/ops/renewals${query}`)).body.data;
const listed = async () => (await queue()).map(({ id, reasons }) => ({ id, reasons }));
const detail = async (id: string) => (await service.get<RenewalDetail>(staff, `/ops/renewals/${id}`)).body;
const nothing: RiskReason[] = ['no_task', 'nothing_reached', 'no_answer'];

type Told = Parameters<typeof taskTold>[0];

/** Taken in whole by the queues they go to. */
async function publish(...events: { id: string }[]): Promise<void> {
  await service.bus.publish(events.map((event) => ({ event: event as never })));
  const ids = [...new Set(events.map(({ id }) => id))];
  await eventually(async () => expect(await service.db('inbox').whereIn('event_id', ids)).toHaveLength(ids.length));
}

test('what nobody is at is listed with its reasons, and is not once somebody is', async () => {
  const { id } = await renewals.create({ due_date: inDays(service, 12), assigned_agent: 'away' });
  const later = await renewals.create({ due_date: inDays(service, 31) });
  expect(await listed()).toEqual([{ id, reasons: nothing }]);
  expect((await queue('')).map(({ reasons }) => reasons)).toEqual([nothing, []]);
  expect((await queue('?at_risk=false')).map((one) => one.id)).toEqual([id, later.id]);
  expect((await detail(id)).reasons).toEqual(nothing);
  expect((await detail(later.id)).reasons).toEqual([]);

  const told: Told = { task_id: uuidv7(), renewal_id: id };
  await publish(taskTold(told));
  expect(await listed()).toEqual([{ id, reasons: ['agent_absent', 'nothing_reached', 'no_answer'] }]);
  await renewals.change(id, { assigned_agent: null });
  expect(await listed()).toEqual([{ id, reasons: ['task_unassigned', 'nothing_reached', 'no_answer'] }]);
  await publish(taskTold({ ...told, assigned_agent: 'stood-in-for', version: 2 }));
  expect(await listed()).toEqual([]);
  await publish(taskTold({ ...told, assigned_agent: 'stood-in-for', status: 'DONE', version: 3 }));
  expect(await listed()).toEqual([{ id, reasons: nothing }]);

  await renewals.move(id, 'start');
  expect(await listed()).toEqual([]);
  service.clock.set('2026-03-17T12:00:01Z');
  expect(await listed()).toEqual([
    { id, reasons: nothing },
    { id: later.id, reasons: nothing },
  ]);
  await renewals.move(id, 'complete', { create_next: false });
  expect(await listed()).toEqual([{ id: later.id, reasons: nothing }]);
  service.clock.set('2026-03-02T12:00:00Z');
});

test('a message that reached the customer since the last alert, or their answer, takes it off the list', async () => {
  const renewal = await renewals.create({ due_date: inDays(service, 30) });
  await alerted(service, renewal, ['30']);
  const about = { communication_id: uuidv7(), renewal_id: renewal.id, type: 'MESSAGING_APP' } as const;
  const written_at = '2026-03-02T12:05:00.000Z';
  await publish(changed({ ...about, status: 'SENT', written_at }, '2026-03-02T12:05:00Z'));
  expect(await listed()).toEqual([{ id: renewal.id, reasons: nothing }]);
  await publish(changed({ ...about, status: 'DELIVERED', written_at }, '2026-03-02T12:06:00Z'));
  expect(await listed()).toEqual([]);
  await publish(changed({ ...about, status: 'FAILED', written_at }, '2026-03-02T12:07:00Z'));
  expect(await listed()).toEqual([{ id: renewal.id, reasons: nothing }]);
  const answer = {
    ...about,
    communication_id: uuidv7(),
    direction: 'INBOUND',
    status: 'RECEIVED',
    written_at,
  } as const;
  await publish(changed({ ...answer, automatic: true }, '2026-03-02T12:08:00Z'));
  expect(await listed()).toHaveLength(1);
  await publish(changed(answer, '2026-03-02T12:09:00Z'));
  expect(await listed()).toEqual([]);
});

test('a letter that names several, and an answer to it, count for each of them', async () => {
  const all = [await renewals.create({ due_date: inDays(service, 30) }), await renewals.create()];
  const [near, later] = all.map(({ id }) => id) as [string, string];
  const about = { renewal_id: later, renewal_ids: [later, near], written_at: '2026-03-02T12:05:00.000Z' };
  expect((await listed()).map(({ id }) => id)).toEqual([near]);
  const letter = { ...about, communication_id: uuidv7(), status: 'SENT' } as const;
  await publish(changed(letter, '2026-03-02T12:05:00Z'));
  expect(await listed()).toEqual([]);
  await publish(changed({ ...letter, status: 'FAILED' }, '2026-03-02T12:06:00Z'));
  expect(await listed()).toHaveLength(1);
  const answer = { ...about, communication_id: uuidv7(), direction: 'INBOUND', status: 'RECEIVED' } as const;
  await publish(changed(answer, '2026-03-02T12:07:00Z'));
  expect(await listed()).toEqual([]);
});

test('it narrows what else is asked for, and a page of it has a next one', async () => {
  const soon = await renewals.create({ due_date: inDays(service, 2), assigned_agent: 'there' });
  const type = { service_type: 'WORK_PERMIT' };
  const other = await renewals.create({ due_date: inDays(service, 5), ...type });
  const ids = async (query: string) => (await queue(`?at_risk=true${query}`)).map(({ id }) => id);
  expect(await ids('&service_type=WORK_PERMIT')).toEqual([other.id]);
  expect(await ids('&assigned_agent=there')).toEqual([soon.id]);
  expect(await ids('&assigned_agent=')).toEqual([other.id]);
  expect(await ids(`&due_from=${inDays(service, 3)}`)).toEqual([other.id]);
  expect(await ids('&status=COMPLETED')).toEqual([]);
  const { body } = await service.get<RenewalQueue>(staff, '/ops/renewals?at_risk=true&limit=1');
  expect(body.data.map(({ id }) => id)).toEqual([soon.id]);
  expect(await ids(`&cursor=${encodeURIComponent(body.next_cursor as string)}`)).toEqual([other.id]);
  const refused = await service.get(staff, '/ops/renewals?at_risk=maybe');
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'at_risk' }] } });
});

test('whatever order tasks are told in, told twice and at once, each stands as it was last', async () => {
  const { id } = await renewals.create({ due_date: inDays(service, 5) });
  const task_id = uuidv7();
  const life: Told[] = [
    { task_id, renewal_id: id, version: 1 },
    { task_id, renewal_id: id, version: 2, assigned_agent: 'there' },
    { task_id, renewal_id: id, version: 3, assigned_agent: 'there', status: 'DONE' },
    { task_id, renewal_id: id, version: 4, assigned_agent: 'away' },
    { task_id: uuidv7(), renewal_id: null },
  ];
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([0, 0, 1, 1, 2, 3, 3, 4], { minLength: 8 }), async (order) => {
      await emptyTables(service.db, 'followed_tasks');
      await publish(...order.map((n) => taskTold(life[n] as Told)));
      expect(await service.db('followed_tasks')).toEqual([
        { task_id, renewal_id: id, assigned_agent: 'away', is_open: true, version: 4 },
      ]);
    }),
    { seed: 20_261_123, numRuns: 8 },
  );
});

test('a refresh says how many are at risk besides those it alerted', async () => {
  const { id } = await renewals.create({ due_date: inDays(service, 12) });
  const run = async () => (await service.post<RefreshRun>(staff, '/ops/renewals/refresh')).body;
  expect(await run()).toMatchObject({ status: 'COMPLETED', counts: { fired: 1 }, at_risk: 0 });
  const { run_id, ...again } = await run();
  expect(again).toMatchObject({ status: 'COMPLETED', counts: { fired: 0 }, at_risk: 1 });
  await publish(taskTold({ task_id: uuidv7(), renewal_id: id, assigned_agent: 'there' }));
  expect(await run()).toMatchObject({ at_risk: 0 });
  expect((await service.get<RefreshRun>(staff, `/ops/renewals/refresh/${run_id}`)).body.at_risk).toBe(1);
});

test('the figures count those due within a week and a month, those past it in both', async () => {
  const { sql } = figures.find(({ name }) => name === 'renewals_at_risk') as { sql: string };
  const figure = async () =>
    Object.fromEntries(
      (await rows<{ within_days: number; value: string }>(service.db, sql)).map((one) => [one.within_days, +one.value]),
    );
  expect(await figure()).toEqual({ 7: 0, 30: 0 });
  const dates = [-1, 7, 8, 30, 32].map((days) => addDays(new Date().toISOString().slice(0, 10), days));
  await insertRenewals(
    service.db,
    dates.map((due_date) => ({ due_date })),
  );
  expect(await figure()).toEqual({ 7: 2, 30: 4 });
});
