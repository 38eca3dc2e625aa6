import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import { type Alerts, alertsAt, cardOf, changed, completed, type Triggered, triggered } from '../../test/alerts.ts';
import { allowed, type Desk, openDesk, queuedMessage } from '../../test/desk.ts';
import { lockWaits } from '../../test/lock-waits.ts';

let desk: Desk;
let alerts: Alerts;

beforeAll(async () => {
  desk = await openDesk();
  alerts = alertsAt(desk);
});
afterAll(() => desk.close());
beforeEach(async () => {
  await emptyTables(desk.db, 'alert_actions', 'followed_renewals', 'tasks', 'sends', 'outbox');
  desk.customers(cardOf());
  desk.sent.length = 0;
  desk.renewals(undefined);
});

/** One alert by e-mail, as comms-service would queue it. */
async function plannedMail(alert: Triggered) {
  await alerts.plan('email', alert);
  const [send] = await alerts.sends();
  if (!send) throw new Error('nothing was planned');
  const { send_id: communication_id, renewal_id, send_after } = send;
  return queuedMessage({
    communication_id,
    renewal_id,
    send_after,
    type: 'EMAIL',
    to: 'ada@example.com',
    automated: true,
  });
}

const cancelled = (code: string) => [{ status: 'CANCELLED', failure: { code } }];
const told = async () => (await alerts.outcomes()).map(({ outcome, reason }) => [outcome, reason?.code]);

test.each([
  ['completed', (alert: Triggered) => completed(alert), 'renewal_completed'],
  [
    'cancelled',
    (alert: Triggered) => changed(alert, { status: 'CANCELLED', change: 'cancelled' }),
    'renewal_cancelled',
  ],
  ['moved', (alert: Triggered) => changed(alert, { due_date: '2027-01-01' }), 'due_date_changed'],
  ['muted', (alert: Triggered) => changed(alert, { reminders: 'off' }), 'reminders_off'],
])('%s while its message waits: it never leaves, and both logs say why', async (_, change, code) => {
  const alert = triggered();
  await desk.queue(await plannedMail(alert));
  await alerts.follow(change(alert));
  await alerts.follow(change(alert));
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  expect(await alerts.deliveryNews()).toMatchObject(cancelled(code));
  expect(await told()).toEqual([
    ['planned', undefined],
    ['cancelled', code],
  ]);
});

test('before comms-service had queued it: stopped when it is', async () => {
  const alert = triggered();
  const mail = await plannedMail(alert);
  await alerts.follow(completed(alert));
  expect(await told()).toEqual([
    ['planned', undefined],
    ['cancelled', 'renewal_completed'],
  ]);
  await desk.queue(mail, mail);
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  expect(await alerts.deliveryNews()).toMatchObject(cancelled('renewal_completed'));
  expect(JSON.stringify(await desk.db('sends'))).not.toContain(mail.body);
});

test('before its own queue came to it: told once, by that queue', async () => {
  const alert = triggered();
  await alerts.plan('task', alert);
  await alerts.follow(completed(alert));
  expect(await told()).toEqual([]);
  await alerts.planAll(alert);
  expect(await told()).toEqual([
    ['cancelled', 'renewal_completed'],
    ['cancelled', 'renewal_completed'],
  ]);
  expect(await alerts.sends()).toEqual([]);
});

test('a task that was decided on and not made yet is closed from the first for a renewal that is over', async () => {
  const alert = triggered({ rung: '7' });
  await alerts.plan('messaging', alert);
  await alerts.follow(completed(alert));
  await alerts.plan('task', alert);
  const [task] = await alerts.tasks();
  expect(task).toMatchObject({ status: 'DONE', closed_because: 'renewal_completed', version: 1 });
  const outcomes = (await alerts.outcomes()).filter(({ channel }) => channel === 'TASK');
  const reason = { code: 'renewal_completed' };
  expect(outcomes).toMatchObject([{ outcome: 'cancelled', reason, task_id: task?.id }]);
  expect(await desk.db('alert_actions').where({ channel: 'TASK' })).toMatchObject([
    { outcome: 'cancelled', reason, carried_out: true },
  ]);
});

test('completed, and not told of it yet: renewals-service is asked before anything leaves', async () => {
  const alert = triggered();
  await desk.queue(await plannedMail(alert));
  desk.renewals(() => ({ status: 'COMPLETED', due_date: alert.due_date, reminders: 'on' }));
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  expect(desk.sent).toEqual([]);
  expect(await alerts.deliveryNews()).toMatchObject(cancelled('renewal_completed'));
  await alerts.follow(completed(alert));
  expect(await told()).toEqual([
    ['planned', undefined],
    ['cancelled', 'renewal_completed'],
  ]);
});

test('while renewals-service is away alerts wait, untried, and nothing waits behind them', async () => {
  const alert = triggered();
  await desk.queue(await plannedMail(alert));
  desk.renewals(() => 'away');
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  await desk.queue(queuedMessage({ type: 'EMAIL', customer_id: alert.customer_id }));
  await desk.worker.runOnce();
  expect(desk.sent).toHaveLength(1);
  desk.renewals(() => ({ status: 'UPCOMING', due_date: alert.due_date, reminders: 'on' }));
  desk.passMs(20_000);
  await desk.worker.runOnce();
  expect(desk.sent).toHaveLength(2);
  expect((await alerts.deliveryNews()).map(({ status }) => status)).toEqual(['SENT', 'SENT']);
});

test('what was sent stays sent', async () => {
  const alert = triggered();
  await desk.queue(await plannedMail(alert));
  await desk.worker.runOnce();
  await alerts.follow(completed(alert));
  expect(await alerts.deliveryNews()).toMatchObject([{ status: 'SENT' }]);
  expect(await told()).toEqual([['planned', undefined]]);
});

test('completed while it is on the wire: not taken, it is not tried again; taken, it was sent', async () => {
  for (const [outcome, status] of [
    [{ kind: 'not_taken', reason: 'HTTP 429' }, 'CANCELLED'],
    [{ kind: 'accepted', providerMessageId: 'M1' }, 'SENT'],
  ] as const) {
    await emptyTables(desk.db, 'outbox');
    const alert = triggered();
    await desk.queue(await plannedMail(alert));
    desk.next(async () => {
      await alerts.follow(completed(alert));
      return outcome;
    });
    await desk.worker.runOnce();
    desk.passMs(60_000);
    expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
    expect((await alerts.deliveryNews()).map((news) => news.status)).toEqual([status]);
  }
});

test('completed after a worker claimed it and before anything left: it does not leave', async () => {
  const alert = triggered();
  await desk.queue(await plannedMail(alert));
  const { comms } = desk.deps;
  desk.deps.comms = {
    ...comms,
    async maySend() {
      await alerts.follow(completed(alert));
      return allowed;
    },
  };
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  desk.deps.comms = comms;
  expect(desk.sent).toEqual([]);
  expect(await alerts.deliveryNews()).toMatchObject(cancelled('renewal_completed'));
});

test('completed while it is being queued: whoever comes second sees what the first did', async () => {
  const alert = triggered();
  const mail = await plannedMail(alert);
  const held = await desk.db.transaction();
  await held('followed_renewals').forUpdate().select('renewal_id');
  const both = Promise.all([desk.queue(mail), alerts.follow(completed(alert))]);
  await eventually(async () => expect(await lockWaits(desk.db)).toBe(2));
  await held.commit();
  await both;
  expect(await alerts.deliveryNews()).toMatchObject(cancelled('renewal_completed'));
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
});

test('what people write about the renewal goes out all the same', async () => {
  const alert = triggered();
  await alerts.plan('task', alert);
  const byStaff = queuedMessage({ renewal_id: alert.renewal_id, type: 'EMAIL' });
  await alerts.follow(completed(alert));
  await desk.queue(byStaff);
  await desk.worker.runOnce();
  expect(await alerts.deliveryNews()).toMatchObject([{ status: 'SENT' }]);
});

test('sent again by staff after the renewal was closed: stopped as well', async () => {
  const alert = triggered();
  const mail = await plannedMail(alert);
  desk.next({ kind: 'refused', code: 'smtp:550', message: 'No such user' });
  await desk.queue(mail);
  await desk.worker.runOnce();
  await alerts.follow(completed(alert));
  await desk.queue({ ...mail, attempt: 2 });
  expect((await alerts.deliveryNews()).map(({ status, attempt }) => [attempt, status])).toEqual([
    [1, 'FAILED'],
    [2, 'CANCELLED'],
  ]);
});
