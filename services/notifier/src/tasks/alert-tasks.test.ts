import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Alerts, alertsAt, cardOf, changed, completed, triggered } from '../planning/test-alerts.ts';
import { type Desk, openDesk } from '../test-desk.ts';

let desk: Desk;
let alerts: Alerts;

beforeAll(async () => {
  desk = await openDesk();
  alerts = alertsAt(desk);
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.db.raw('TRUNCATE alert_actions, followed_renewals, tasks, agents, outbox CASCADE');
  desk.customers(cardOf({ assigned_agent: 'of-customer' }));
});

const today = '2026-03-01';
const away = (id: string, absent_until: string | null) =>
  desk.db('agents').insert({ id, name: id, absent_until, updated_at: desk.deps.now() });

test.each([
  ['the renewal’s agent', {}, 'of-renewal'],
  ['away until yesterday, and so back', { 'of-renewal': '2026-02-28' }, 'of-renewal'],
  ['away until today: the customer’s', { 'of-renewal': today }, 'of-customer'],
  ['both away: nobody’s', { 'of-renewal': today, 'of-customer': '2026-12-31' }, null],
] as [string, Record<string, string>, string | null][])('whose a task is: %s', async (_, absent, expected) => {
  for (const [id, until] of Object.entries(absent)) await away(id, until);
  await alerts.plan('task', triggered({ rung: '14', assigned_agent: 'of-renewal' }));
  expect(await alerts.tasks()).toMatchObject([{ assigned_agent: expected, priority: 'HIGH', due_date: '2026-03-31' }]);
  expect(await alerts.taskNews()).toMatchObject([{ assigned_agent: expected, status: 'OPEN', rung: '14' }]);
});

test('14, then 7, then overdue: one task that is raised, told each time it changed', async () => {
  const alert = triggered({ rung: '14' });
  for (const rung of ['14', '7', 'OVERDUE'] as const) await alerts.plan('task', { ...alert, rung });
  expect(await alerts.tasks()).toMatchObject([{ priority: 'URGENT', rung: 'OVERDUE', status: 'OPEN', version: 3 }]);
  const [first, ...others] = (await alerts.outcomes()).map(({ task_id }) => task_id);
  expect(others).toEqual([first, first]);
});

test('a task somebody has done does not come back; the next alert opens another', async () => {
  const alert = triggered({ rung: '14' });
  await alerts.plan('task', alert);
  await desk.db('tasks').update({ status: 'DONE', closed_at: desk.deps.now(), closed_because: 'done' });
  await alerts.plan('task', alert);
  expect(await alerts.tasks()).toHaveLength(1);
  await alerts.plan('task', { ...alert, rung: '7' });
  expect((await alerts.tasks()).map(({ status }) => status).toSorted()).toEqual(['DONE', 'OPEN']);
});

test('closed with its renewal, once, and back when that is reopened', async () => {
  const alert = triggered({ rung: 'OVERDUE' });
  await alerts.plan('task', alert);
  const closing = completed(alert, { version: 2 });
  await alerts.follow(closing, closing);
  await alerts.follow(closing);
  expect(await alerts.tasks()).toMatchObject([{ status: 'DONE', closed_because: 'renewal_completed', version: 2 }]);
  await alerts.follow(changed(alert, { status: 'OVERDUE', change: 'reopened', version: 3 }));
  await alerts.follow(closing);
  expect(await alerts.tasks()).toMatchObject([{ status: 'OPEN', closed_because: null, version: 3 }]);
});

test('another due date: far away, the work is for another day; near, it stays and follows the date', async () => {
  const [far, near] = [triggered({ rung: '14' }), triggered({ rung: '14', due_date: '2026-03-10' })];
  await alerts.plan('task', far, near);
  await alerts.follow(changed(far, { due_date: '2028-03-31' }), changed(near, { due_date: '2026-03-12' }));
  const byRenewal = new Map((await alerts.tasks()).map((task) => [task.renewal_id, task]));
  expect(byRenewal.get(far.renewal_id)).toMatchObject({ status: 'CANCELLED', closed_because: 'due_date_changed' });
  expect(byRenewal.get(near.renewal_id)).toMatchObject({
    ...{ status: 'OPEN', due_date: '2026-03-12', title: 'Residence permit of Ada Demo, due 2026-03-12' },
  });
});

test('given to another agent with its renewal, in bulk or alone; whom a person gave it to keeps it', async () => {
  const [along, kept] = [
    triggered({ rung: '14', assigned_agent: 'a' }),
    triggered({ rung: '14', assigned_agent: 'a' }),
  ];
  await alerts.plan('task', along, kept);
  await desk.db('tasks').where({ renewal_id: kept.renewal_id }).update({ assigned_agent: 'z' });
  const given = [along, kept].map((alert) => changed(alert, { assigned_agent: 'b' }));
  await alerts.follow(...given);
  await alerts.follow(...given);
  const tasks = new Map((await alerts.tasks()).map((task) => [task.renewal_id, task]));
  expect(tasks.get(along.renewal_id)).toMatchObject({ assigned_agent: 'b', version: 2 });
  expect(tasks.get(kept.renewal_id)).toMatchObject({ assigned_agent: 'z' });
  expect((await alerts.taskNews()).map((news) => news.assigned_agent)).toEqual(['a', 'a', 'b', 'z']);
});

test('a date moved by a few days before the task was made: there is one all the same, of the new date', async () => {
  const near = triggered({ rung: '14', due_date: '2026-03-10', days_until_due: 9 });
  const moved = changed(near, { due_date: '2026-03-12' });
  await alerts.plan('messaging', near);
  await alerts.follow(moved);
  await alerts.plan('task', near);
  const another = triggered({ rung: '14', due_date: '2026-03-10', days_until_due: 9 });
  await alerts.follow(changed(another, { due_date: '2026-03-12' }));
  await alerts.plan('task', another);
  await alerts.plan('messaging', another);
  const task = { status: 'OPEN', priority: 'HIGH', due_date: '2026-03-12', alerted_date: '2026-03-12' };
  expect(await alerts.tasks()).toMatchObject([task, task]);
  await alerts.follow(completed(another, { due_date: '2026-03-12', version: 3 }));
  const byRenewal = new Map((await alerts.tasks()).map((one) => [one.renewal_id, one.status]));
  expect(byRenewal).toEqual(
    new Map([
      [near.renewal_id, 'OPEN'],
      [another.renewal_id, 'DONE'],
    ]),
  );
});
