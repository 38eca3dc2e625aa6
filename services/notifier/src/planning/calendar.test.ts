import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { weekdays } from '@ops/contracts/resources/calendar';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { type Alerts, alertsAt, cardOf, changed, triggered } from '../../test/alerts.ts';
import { worksAt } from '../../test/calendar.ts';
import { allowed, type Desk, openDesk, queuedMessage } from '../../test/desk.ts';

// The desk's clock shows a Sunday, 1 March 2026, 10:00 in UTC, which is the firm's zone and that of its customers.
let desk: Desk;
let alerts: Alerts;

beforeAll(async () => {
  desk = await openDesk();
  alerts = alertsAt(desk);
});
afterAll(() => desk.close());
beforeEach(async () => {
  await emptyTables(desk.db, 'alert_actions', 'followed_renewals', 'tasks', 'sends', 'outbox');
  await worksAt(desk.db, office);
  desk.customers(cardOf());
  desk.maySend(() => allowed);
  desk.sent.length = 0;
});

const office = { working_days: weekdays.slice(0, 5), hours: { from: '08:00', until: '18:00' } };
const weekend = {
  send_after: '2026-03-02T08:00:00.000Z',
  send_after_reason: { code: 'closed_days', message: 'weekend' },
};

test('on a Sunday it is planned for Monday morning, and all who show it are told why', async () => {
  await alerts.plan('email', triggered());
  expect(await alerts.sends()).toMatchObject([weekend]);
  expect(await alerts.outcomes()).toMatchObject([weekend]);
});

test('its words count the days from the day it leaves, which may be days after the alert', async () => {
  await alerts.plan('email', triggered({ rung: '30', due_date: '2026-03-31' }));
  const [send] = await alerts.sends();
  expect(send).toMatchObject(weekend);
  expect(send?.body).toContain('days left: 29');
});

test('over a public holiday of the firm’s country it waits for the day after', async () => {
  await worksAt(desk.db, {
    ...office,
    country: 'US',
    holidays: [{ date: '2026-03-02', name: 'Demo day', closed: true }],
  });
  await alerts.plan('email', triggered());
  const reason = { code: 'closed_days', message: 'weekend, Demo day' };
  expect(await alerts.sends()).toMatchObject([{ send_after: '2026-03-03T08:00:00.000Z', send_after_reason: reason }]);
});

test.each([
  ['that the date has passed', { rung: 'OVERDUE', due_date: '2026-02-28' }],
  ['what would come after the date', { rung: '7', due_date: '2026-03-01' }],
] as const)('%s leaves on the Sunday', async (_, about) => {
  await alerts.plan('messaging', triggered(about));
  expect(await alerts.sends()).toMatchObject([{ send_after: null, send_after_reason: null }]);
});

test('a calendar that changes holds for what waits: it is asked again before each try, and both logs are told', async () => {
  await worksAt(desk.db);
  await alerts.plan('email', triggered());
  const [send] = await alerts.sends();
  if (!send) throw new Error('nothing was planned');
  const { send_id: communication_id, renewal_id, send_after } = send;
  expect(send_after).toBeNull();
  await worksAt(desk.db, office);
  await desk.queue(
    queuedMessage({ communication_id, renewal_id, send_after, automated: true, type: 'EMAIL', to: 'ada@example.com' }),
  );
  await desk.worker.runOnce();
  expect(desk.sent).toEqual([]);
  expect(await alerts.deliveryNews()).toMatchObject([{ status: 'QUEUED', ...weekend }]);
  expect((await alerts.outcomes()).at(-1)).toMatchObject(weekend);
});

test('what a person has sent again leaves on a Sunday', async () => {
  await alerts.plan('email', triggered());
  const [send] = await alerts.sends();
  const about = { communication_id: send?.send_id ?? '', renewal_id: send?.renewal_id ?? null, attempt: 2 };
  await desk.queue(queuedMessage({ ...about, automated: true, type: 'EMAIL', to: 'ada@example.com' }));
  await desk.worker.runOnce();
  expect(desk.sent).toHaveLength(1);
});

test('what people write leaves on a Sunday', async () => {
  await desk.queue(queuedMessage({ type: 'EMAIL' }));
  await desk.worker.runOnce();
  expect(desk.sent).toHaveLength(1);
});

test('a task is due on the last working day up to the date, and goes along when that is moved', async () => {
  const alert = triggered({ rung: '14', due_date: '2026-03-15' });
  await alerts.plan('task', alert);
  expect(await alerts.tasks()).toMatchObject([{ due_date: '2026-03-13', alerted_date: '2026-03-15' }]);
  await alerts.follow(changed(alert, { due_date: '2026-03-08' }));
  expect(await alerts.tasks()).toMatchObject([{ due_date: '2026-03-06', alerted_date: '2026-03-08', status: 'OPEN' }]);
});

test('a day that a person chose for it stays', async () => {
  const alert = triggered({ rung: '14', due_date: '2026-03-15' });
  await alerts.plan('task', alert);
  await desk.db('tasks').update({ due_date: '2026-03-10' });
  await alerts.follow(changed(alert, { due_date: '2026-03-08' }));
  expect(await alerts.tasks()).toMatchObject([{ due_date: '2026-03-10', alerted_date: '2026-03-08' }]);
});

test('a task of the version before, due with its renewal, goes along all the same', async () => {
  const alert = triggered({ rung: '14', due_date: '2026-03-15' });
  await alerts.plan('task', alert);
  await desk.db('tasks').update({ due_date: '2026-03-15', due_by_itself: null });
  await alerts.follow(changed(alert, { due_date: '2026-03-08' }));
  expect(await alerts.tasks()).toMatchObject([{ due_date: '2026-03-06' }]);
});

const awaited = (on: string, more: object = {}) => ({
  customer_id: 'C-1',
  reminders: 'on' as const,
  due_date: '2031-03-31',
  alerts: [{ rung: '90' as const, step: '0', does: null, silent: false, on, ...more }],
});

test.each([
  ['2026-03-06', '2026-03-06T08:00:00.000Z', 'quiet hours of the customer'],
  ['2026-03-07', '2026-03-09T08:00:00.000Z', 'weekend'],
  ['2026-03-01', '2026-03-02T08:00:00.000Z', 'weekend'],
  ['2030-12-25', '2030-12-26T08:00:00.000Z', 'Christmas Day'],
])('when what the night of %s plans leaves is told before it comes', async (on, send_after, message) => {
  await worksAt(desk.db, { ...office, country: 'US' });
  const [foreseen] = await alerts.foresee(awaited(on));
  expect(foreseen).toEqual([
    { messages: 2, task: false, leaves: { send_after, send_after_reason: expect.anything() } },
  ]);
  expect(foreseen?.[0]?.leaves?.send_after_reason).toMatchObject({ message });
});

test('each by itself: in its customer’s night, at once when its date has passed, and not at all where nobody is written to', async () => {
  const west = cardOf({ id: 'C-4', time_zone: 'America/New_York' });
  desk.customers(
    cardOf(),
    cardOf({ id: 'C-2', time_zone: 'Asia/Tokyo' }),
    cardOf({ id: 'C-3', do_not_contact: true }),
    west,
  );
  const overdue = { rung: 'OVERDUE', on: '2026-03-07' };

  const foreseen = await alerts.foresee(
    { ...awaited('2026-03-07'), customer_id: 'C-2' },
    { ...awaited('2026-03-07'), customer_id: 'C-3' },
    awaited('2026-03-14', { silent: true }),
    awaited('2026-03-07', { step: '1', does: { channels: [], task: 'NORMAL' } }),
    { ...awaited('2026-03-07', overdue), due_date: '2026-03-06' },
    awaited('2026-03-07'),
    { ...awaited('2026-03-07', overdue), customer_id: west.id, due_date: '2026-03-06' },
  );
  const night = { code: 'quiet_hours', message: 'quiet hours of the customer' };
  expect(foreseen.map(([one]) => one?.leaves)).toEqual([
    { send_after: '2026-03-09T08:00:00.000Z', send_after_reason: { code: 'closed_days', message: 'weekend' } },
    null,
    null,
    null,
    { send_after: '2026-03-07T08:00:00.000Z', send_after_reason: night },
    // It goes along in the letter of what is overdue.
    { send_after: '2026-03-07T08:00:00.000Z', send_after_reason: night },
    // Where it was not night yet at midnight, but is when the refresh comes.
    { send_after: '2026-03-07T13:00:00.000Z', send_after_reason: night },
  ]);
});
