import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { CreateTask, Task } from '@ops/contracts/resources/task';
import { into } from '@ops/following/test/merges';
import { inTransaction } from '@ops/service-kit/database';
import { ProblemError } from '@ops/service-kit/errors';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { type Alerts, alertsAt, cardOf, changed, deliveryOf, type Triggered, triggered } from '../../test/alerts.ts';
import { allowed, type Desk, eventOf, openDesk, queuedMessage } from '../../test/desk.ts';
import { astray, mergesAt } from '../../test/merging.ts';
import { claimDue } from '../sending/send-store.ts';
import { askToConfirm, createTask, followCustomers, listTasks } from '../tasks/task-service.ts';

let desk: Desk;
let alerts: Alerts;
let merges: ReturnType<typeof mergesAt>;

beforeAll(async () => {
  desk = await openDesk();
  alerts = alertsAt(desk);
  merges = mergesAt(desk.db, desk.deps);
});
afterAll(() => desk.close());

let run: string;
beforeEach(async () => {
  const decided = ['alert_actions', 'followed_renewals', 'run_alerts', 'finished_runs'];
  const others = ['customer_aliases', 'followed_customers', 'tasks', 'agents', 'sends', 'outbox'];
  await emptyTables(desk.db, ...decided, ...others);
  knows({});
  desk.maySend(() => allowed);
  desk.renewals(undefined);
  desk.sent.length = 0;
  run = uuidv7();
});
afterEach(async () => expect(await astray(desk.db)).toEqual([]));

/** As comms-service has them: these are others' by now. */
function knows(merged: Record<string, string>): void {
  desk.customers(
    ...['C-A', 'C-B', 'C-C'].map((id) =>
      cardOf({ id, name: id, merged: merged[id] ? { into: merged[id], version: 1 } : null }),
    ),
  );
}

const fired = (customer_id: string, given: Partial<Triggered> = {}) =>
  triggered({ run_id: run, customer_id, rung: '60', due_date: '2026-04-30', ...given });

async function night(...all: Triggered[]): Promise<void> {
  await alerts.planAll(...all);
  await alerts.finish(run, all.length);
  await alerts.writeLetters();
}

const letters = async () =>
  (await alerts.sends())
    .filter(({ type }) => type === 'EMAIL')
    .map(({ customer_id, renewal_ids, send_id }) => ({ customer_id, renewal_ids: renewal_ids?.toSorted(), send_id }));

const make = (input: Partial<CreateTask> & { customer_id: string }): Promise<Task> =>
  inTransaction(desk.db, (trx) =>
    createTask(desk.deps, trx, { title: 'Call', priority: 'NORMAL', ...input }, { sub: 'ada', role: 'staff' }),
  );
const tasksOf = async (customer_id: string) =>
  (await listTasks(desk.deps, desk.db, { customer_id, limit: 50 })).data.map(({ id }) => id).sort();

test('tasks go to whom the id leads to and back, whoever looks is told, and lists take either id', async () => {
  const [a, b] = [await make({ customer_id: 'C-A' }), await make({ customer_id: 'C-B' })];
  await merges.follow(into('C-A', 'C-B', 1));
  expect((await alerts.taskNews()).at(-1)).toMatchObject({ task_id: a.id, customer_id: 'C-B', version: 2 });
  expect([await tasksOf('C-A'), await tasksOf('C-B')]).toEqual([[a.id, b.id].sort(), [a.id, b.id].sort()]);
  const made = await make({ customer_id: 'C-A' });
  expect(made.customer_id).toBe('C-B');
  expect((await alerts.taskNews()).at(-1)).toMatchObject({ task_id: made.id, customer_id: 'C-B' });
  await merges.follow(into('C-A', null, 2));
  expect([await tasksOf('C-A'), await tasksOf('C-B')]).toEqual([[a.id, made.id].sort(), [b.id]]);
});

test('a task goes to the agent of whom it becomes, unless a person gave it to somebody', async () => {
  await inTransaction(desk.db, (trx) =>
    followCustomers(desk.deps, trx, {
      facts: [
        { customer_id: 'C-A', assigned_agent: 'ann', version: 1 },
        { customer_id: 'C-B', assigned_agent: 'bob', version: 1 },
      ],
      merges: [],
    }),
  );
  await alerts.plan('task', triggered({ customer_id: 'C-A', rung: '7', due_date: '2026-03-06' }));
  await desk.db('tasks').update({ customer_agent: 'ann', assigned_agent: 'ann', given_to: 'ann' });
  await merges.follow(into('C-A', 'C-B', 1));
  expect(await alerts.tasks()).toMatchObject([{ customer_id: 'C-B', assigned_agent: 'bob', customer_agent: 'bob' }]);
  await merges.follow(into('C-A', null, 2));
  expect(await alerts.tasks()).toMatchObject([{ customer_id: 'C-A', assigned_agent: 'ann' }]);
});

test('of a merge nobody told of yet, whoever makes a task, or plans an alert, learns of it', async () => {
  const before = await make({ customer_id: 'C-A' });
  knows({ 'C-A': 'C-B' });
  const made = await make({ customer_id: 'C-A' });
  expect([made.customer_id, await tasksOf('C-B')]).toEqual(['C-B', [before.id, made.id].sort()]);
  const other = await make({ customer_id: 'C-B' });
  knows({ 'C-A': 'C-B', 'C-B': 'C-C' });
  await night(fired('C-A'));
  expect(await tasksOf('C-C')).toEqual([before.id, made.id, other.id].sort());
  expect(await desk.db('alert_actions').distinct('customer_id')).toEqual([{ customer_id: 'C-C' }]);
});

test('a renewal is one of the customer by whichever id, and its task goes where it goes', async () => {
  const own = fired('C-B');
  await night(own);
  await merges.follow(into('C-A', 'C-B', 1));
  const task = await make({ customer_id: 'C-A', renewal_id: own.renewal_id });
  await merges.follow(into('C-A', null, 2));
  expect(await tasksOf('C-B')).toEqual([task.id]);
  await expect(make({ customer_id: 'C-A', renewal_id: own.renewal_id })).rejects.toBeInstanceOf(ProblemError);
});

test('what is to be confirmed, and what an alert asks for, goes with its renewal', async () => {
  await merges.follow(into('C-A', 'C-B', 1));
  const alert = fired('C-B', { written_under: 'C-A', rung: '7', due_date: '2026-03-06' });
  await night(alert);
  const { renewal_id, service_type, due_date, assigned_agent } = alert;
  const about = { renewal_id, service_type, due_date, assigned_agent, customer_id: 'C-B', written_under: 'C-A' };
  const source = { kind: 'policy' as const, id: 'P-1' };
  const rest = { service_label: 'Permit', source, cancelled: false, occurred_at: '2026-03-01T10:00:00.000Z' };
  await inTransaction(desk.db, (trx) =>
    askToConfirm(desk.deps, trx, [eventOf('renewal.source_ended', 'C-B', { ...about, ...rest })]),
  );
  expect(await tasksOf('C-B')).toHaveLength(2);
  await merges.follow(into('C-A', null, 2));
  expect([(await tasksOf('C-A')).length, await tasksOf('C-B')]).toEqual([2, []]);
});

test('what a refresh fired for both is one letter to the customer, whether it is heard before or after it was decided', async () => {
  const [a, b] = [fired('C-A'), fired('C-B')];
  await alerts.planAll(a, b);
  await merges.follow(into('C-A', 'C-B', 1));
  await alerts.finish(run, 2);
  await alerts.writeLetters();
  await alerts.writeLetters();
  expect(await letters()).toMatchObject([{ renewal_ids: [a.renewal_id, b.renewal_id].sort() }]);

  run = uuidv7();
  const [later, other] = [
    fired('C-A', { rung: '30', due_date: '2026-03-31' }),
    fired('C-B', { due_date: '2026-04-29' }),
  ];
  await night(later, other);
  expect((await letters()).slice(1)).toMatchObject([{ renewal_ids: [later.renewal_id, other.renewal_id].sort() }]);
});

test('a letter is written under the id of its first renewal, with which it goes', async () => {
  await merges.follow(into('C-A', 'C-B', 1));
  await night(fired('C-B', { written_under: 'C-A' }));
  expect(await letters()).toMatchObject([{ customer_id: 'C-A' }]);
});

test('a letter of what turned out to be of two customers is not sent: each gets their own', async () => {
  await merges.follow(into('C-A', 'C-B', 1));
  const [a, b] = [fired('C-A'), fired('C-B')];
  await night(a, b);
  const [both] = await letters();
  await merges.follow(into('C-A', null, 2));
  const message = { customer_id: 'C-B', communication_id: both?.send_id as string, type: 'EMAIL' as const };
  await desk.queue(queuedMessage({ ...message, automated: true }));
  expect(await desk.send(both?.send_id as string)).toMatchObject({
    status: 'CANCELLED',
    failure: { code: 'several_customers' },
  });
  await alerts.hear(...(await alerts.deliveryNews()));
  await alerts.writeLetters();
  expect((await letters()).slice(1).map(({ send_id: _, ...one }) => one)).toEqual([
    { customer_id: 'C-A', renewal_ids: [a.renewal_id] },
    { customer_id: 'C-B', renewal_ids: [b.renewal_id] },
  ]);
});

test('a letter that waited when it turned out so is stopped right before it leaves', async () => {
  await merges.follow(into('C-A', 'C-B', 1));
  await night(fired('C-A'), fired('C-B'));
  const [both] = await letters();
  const message = { customer_id: 'C-B', communication_id: both?.send_id as string, type: 'EMAIL' as const };
  await desk.queue(queuedMessage({ ...message, automated: true }));
  await merges.follow(into('C-A', null, 2));
  await desk.worker.runOnce();
  expect(desk.sent).toEqual([]);
  expect(await desk.send(both?.send_id as string)).toMatchObject({ status: 'CANCELLED' });
});

test('what stands in for a message that failed is for whom it is by then', async () => {
  const alert = fired('C-A', { run_id: null });
  await alerts.planAll(alert);
  await merges.follow(into('C-A', 'C-B', 1));
  for (const { send_id } of await alerts.sends())
    await alerts.hear(deliveryOf({ communication_id: send_id, status: 'FAILED' }));
  expect(await desk.db('alert_actions').distinct('customer_id')).toEqual([{ customer_id: 'C-B' }]);
  await alerts.follow(changed(alert, { customer_id: 'C-B', version: 2 }));
  await merges.follow(into('C-A', null, 2));
  expect(await desk.db('alert_actions').distinct('customer_id')).toEqual([{ customer_id: 'C-A' }]);
});

test('messages of both leave in the order in which they were written', async () => {
  const [first, second] = [queuedMessage({ customer_id: 'C-A' }), queuedMessage({ customer_id: 'C-B' })];
  await desk.queue(first, second);
  await merges.follow(into('C-A', 'C-B', 1));
  const sends = await desk.db('sends').orderBy('position');
  expect(sends.map(({ customer_id, written_under }) => [customer_id, written_under])).toEqual([
    ['C-B', 'C-A'],
    ['C-B', null],
  ]);
  expect(await claimAll()).toEqual([first.communication_id]);
});

async function claimAll(): Promise<string[]> {
  const now = desk.deps.now();
  const until = new Date(now.getTime() + 60_000);
  const request = { first: 'soon' as const, provider: 'twilio', limit: 10, claim: uuidv7(), now, until };
  return (await claimDue(desk.db, request)).map(({ communication_id }) => communication_id);
}
