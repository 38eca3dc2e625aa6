import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Actor } from '@ops/contracts/roles';
import { inTransaction } from '@ops/service-kit/database';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import { type Alerts, alertsAt, type Changed, cardOf, changed, completed, triggered } from '../../test/alerts.ts';
import { type Desk, openDesk } from '../../test/desk.ts';
import { lockWaits } from '../../test/lock-waits.ts';
import { createTask } from './task-service.ts';

let desk: Desk;
let alerts: Alerts;

beforeAll(async () => {
  desk = await openDesk();
  alerts = alertsAt(desk);
});
afterAll(() => desk.close());
beforeEach(async () => {
  await emptyTables(desk.db, 'alert_actions', 'followed_renewals', 'followed_customers', 'tasks', 'agents', 'outbox');
  desk.customers(cardOf({ assigned_agent: 'of-customer' }));
  desk.renewals(undefined);
});

const staff: Actor = { sub: 'agent-1', role: 'staff' };
const away = (id: string, absent_until: string | null) =>
  desk.db('agents').insert({ id, name: id, absent_until, updated_at: desk.deps.now() });

test.each([
  ['the renewal’s agent', { assigned_agent: 'of-renewal' }, 'of-renewal'],
  ['of a renewal without one: the customer’s', { assigned_agent: null }, 'of-customer'],
])('whose a task is: %s, there or not', async (_, given, expected) => {
  await away(expected, '2026-12-31');
  await alerts.plan('task', triggered({ rung: '14', ...given }));
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
    status: 'OPEN',
    due_date: '2026-03-12',
    title: 'Residence permit of Ada Demo',
  });
});

const inFiveDays = () => triggered({ rung: '7', due_date: '2026-03-06', days_until_due: 5 });

describe.each([
  ['one by one', async (words: Changed[]) => void (await inOrder(words, (word) => alerts.follow(word)))],
  ['in one batch', async (words: Changed[]) => alerts.follow(...words)],
  ['the last one first', async (words: Changed[]) => inOrder(words.toReversed(), (word) => alerts.follow(word))],
])('told %s', (_, tell) => {
  test('a date mistyped and put right leaves the task open: its alert does not come again', async () => {
    const alert = inFiveDays();
    await alerts.plan('task', alert);
    await tell([
      changed(alert, { due_date: '2027-03-06', version: 2 }),
      changed(alert, { due_date: '2026-03-06', version: 3 }),
    ]);
    expect(await alerts.tasks()).toMatchObject([
      { status: 'OPEN', closed_because: null, closed_at: null, due_date: '2026-03-06', priority: 'URGENT' },
    ]);
  });

  test('a renewal reopened and moved by days has its task again, of the new date', async () => {
    const alert = inFiveDays();
    await alerts.plan('task', alert);
    await alerts.follow(completed(alert, { version: 2 }));
    await tell([
      changed(alert, { change: 'reopened', version: 3 }),
      changed(alert, { due_date: '2026-03-08', version: 4 }),
    ]);
    expect(await alerts.tasks()).toMatchObject([{ status: 'OPEN', closed_because: null, due_date: '2026-03-08' }]);
  });

  test('what a person closed stays closed, and nothing older comes in its place', async () => {
    const alert = inFiveDays();
    await alerts.plan('task', alert);
    await alerts.follow(changed(alert, { due_date: '2026-06-30', version: 2 }));
    const later = { ...alert, due_date: '2026-06-30', rung: '14' as const, version: 2 };
    await alerts.plan('task', later);
    const done = { status: 'DONE', closed_at: desk.deps.now(), closed_because: 'done' };
    await desk.db('tasks').where({ due_date: later.due_date }).update(done);
    await tell([
      changed(later, { due_date: '2027-03-06', version: 3 }),
      changed(later, { due_date: '2026-03-06', version: 4 }),
    ]);
    expect((await alerts.tasks()).map(({ closed_because }) => closed_because)).toEqual(['due_date_changed', 'done']);
  });
});

async function inOrder<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  for (const one of all) await act(one);
}

test('what was closed for a date far away stays so when that comes near: its own alerts come', async () => {
  const alert = inFiveDays();
  await alerts.plan('task', alert);
  await alerts.follow(changed(alert, { due_date: '2026-03-31', version: 2 }));
  const dayMs = 86_400_000;
  desk.passMs(25 * dayMs);
  await alerts.follow(changed(alert, { due_date: '2026-03-31', assigned_agent: 'b', version: 3 }));
  expect(await alerts.tasks()).toMatchObject([{ status: 'CANCELLED', closed_because: 'due_date_changed' }]);
  await alerts.plan('task', { ...alert, due_date: '2026-03-31', rung: '14', version: 3 });
  desk.passMs(-25 * dayMs);
  expect(await alerts.tasks()).toMatchObject([
    { status: 'CANCELLED', rung: '7' },
    { status: 'OPEN', rung: '14', priority: 'HIGH' },
  ]);
});

test('an alert that is behind the words of its renewal: its task stands as that does, and is there when it is back', async () => {
  const [over, away] = [inFiveDays(), inFiveDays()];
  await alerts.follow(completed(over, { version: 2 }), changed(away, { due_date: '2027-03-06', version: 2 }));
  await alerts.plan('task', over, away);
  const tasks = async () => new Map((await alerts.tasks()).map((task) => [task.renewal_id, task]));
  expect((await tasks()).get(over.renewal_id)).toMatchObject({ status: 'DONE', closed_because: 'renewal_completed' });
  expect((await tasks()).get(away.renewal_id)).toMatchObject({ status: 'CANCELLED', due_date: '2026-03-06' });
  await alerts.follow(changed(over, { change: 'reopened', version: 3 }), changed(away, { version: 3 }));
  for (const task of (await tasks()).values()) expect(task).toMatchObject({ status: 'OPEN', due_date: '2026-03-06' });
});

test('an alert that is ahead of the words of its renewal raises the task that was closed with it', async () => {
  const alert = inFiveDays();
  await alerts.plan('task', alert);
  await alerts.follow(completed(alert, { version: 2 }));
  await alerts.plan('task', { ...alert, rung: 'OVERDUE', version: 3 });
  await alerts.follow(changed(alert, { change: 'reopened', status: 'OVERDUE', version: 3 }));
  expect(await alerts.tasks()).toMatchObject([{ status: 'OPEN', rung: 'OVERDUE' }]);
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
  expect((await alerts.taskNews()).map((news) => news.assigned_agent)).toEqual(['a', 'a', 'b']);
});

test.each([
  ['first got one', null, 'b', 'b'],
  ['lost its own: the customer’s', 'a', null, 'of-customer'],
  ['never had one: the customer’s', null, null, 'of-customer'],
])('whose a task is when its renewal %s', async (_, before, after, expected) => {
  const alert = triggered({ rung: '14', assigned_agent: before });
  await alerts.plan('task', alert);
  await alerts.follow(changed(alert, { assigned_agent: after }));
  expect(await alerts.tasks()).toMatchObject([{ assigned_agent: expected }]);
});

test('given on twice, by itself each time, it goes along twice; the customer’s agent is the one last known', async () => {
  const alert = triggered({ rung: '14', assigned_agent: 'a' });
  await alerts.plan('task', alert);
  await alerts.follow(changed(alert, { assigned_agent: 'b', version: 2 }));
  desk.customers(cardOf({ assigned_agent: 'new-of-customer' }));
  await alerts.plan('task', { ...alert, rung: '7', assigned_agent: 'b', version: 2 });
  await alerts.follow(changed(alert, { assigned_agent: null, version: 3 }));
  expect(await alerts.tasks()).toMatchObject([{ assigned_agent: 'new-of-customer', rung: '7' }]);
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

test.each([
  ['notifier was told of', true],
  ['notifier has to ask for', false],
])(
  'a person makes a task while its renewal completes, which %s: they take turns, and it is closed',
  async (_, told) => {
    const alert = triggered({ rung: '90' });
    if (told) await alerts.follow(changed(alert, { version: 1 }));
    else desk.renewals(() => ({ ...changed(alert, { version: 1 }) }));
    const { customer_id, renewal_id } = alert;
    const making = await desk.db.transaction();
    await createTask(desk.deps, making, { customer_id, renewal_id, title: 'Call', priority: 'NORMAL' }, staff);
    const closing = alerts.follow(completed(alert, { version: 2 }));
    await eventually(async () => expect(await lockWaits(desk.db)).toBe(1));
    await making.commit();
    await closing;
    expect(await alerts.tasks()).toMatchObject([
      { title: 'Call', status: 'DONE', closed_because: 'renewal_completed' },
    ]);
  },
);

test('a task a person makes of a renewal that is over stays open', async () => {
  const alert = triggered();
  await alerts.follow(completed(alert, { version: 2 }));
  const { customer_id, renewal_id } = alert;
  await inTransaction(desk.db, (trx) =>
    createTask(desk.deps, trx, { customer_id, renewal_id, title: 'Send the card', priority: 'NORMAL' }, staff),
  );
  expect(await alerts.tasks()).toMatchObject([{ status: 'OPEN' }]);
});
