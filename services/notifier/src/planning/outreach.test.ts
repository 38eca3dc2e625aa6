import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { type Alerts, alertsAt, cardOf, changed, deliveryOf, type Outreach, triggered } from '../../test/alerts.ts';
import { type Desk, openDesk } from '../../test/desk.ts';

let desk: Desk;
let alerts: Alerts;
beforeAll(async () => {
  desk = await openDesk();
  alerts = alertsAt(desk);
});
afterAll(() => desk.close());
beforeEach(async () => {
  await emptyTables(desk.db, 'alert_actions', 'followed_renewals', 'tasks', 'agents', 'sends', 'outbox');
  desk.customers(cardOf());
});

const alert = () => triggered({ rung: '60', due_date: '2026-04-23', days_until_due: 53 });
const mail = { channels: ['EMAIL' as const], task: null };
const app = { channels: ['MESSAGING_APP' as const, 'SMS' as const], task: null };
const call = { channels: [], task: 'NORMAL' as const };
const step = (of: ReturnType<typeof alert>, name: string, does: Outreach['does'] = mail): Outreach => ({
  ...of,
  step: name,
  does,
});

const told = async () =>
  (await alerts.outcomes())
    .filter((one) => one.step !== '0')
    .map(({ step, channel, outcome, instead_of }) => [step, channel, outcome, instead_of]);

test('each step is one message in the words of its rung, with the days that are left by then, and is told as such', async () => {
  const first = alert();
  await alerts.planAll(first);
  await alerts.planAgain(step(first, '1'));
  await alerts.planAgain(step(first, '1'));
  await alerts.planAgain(step(first, '2', app));
  expect(await told()).toEqual([
    ['1', 'EMAIL', 'planned', null],
    ['2', 'MESSAGING_APP', 'planned', null],
  ]);
  const sends = (await alerts.sends()).slice(2);
  expect(sends.map(({ type, rung }) => [type, rung])).toEqual([
    ['EMAIL', '60'],
    ['MESSAGING_APP', '60'],
  ]);
  expect(sends[0]).toMatchObject({ subject: 'Residence permit: let us begin', body: expect.stringContaining('53') });
  expect(await alerts.tasks()).toEqual([]);
});

test.each([
  ['the first of its channels that can be used', cardOf({ opted_out: ['MESSAGING_APP'] }), app, 'SMS'],
  ['else by another, as alerts fall through', cardOf({ phones: [] }), app, 'EMAIL'],
  ['by what the customer prefers', cardOf({ preferred_channel: 'SMS' }), mail, 'SMS'],
])('a step goes by %s', async (_, card, does, channel) => {
  desk.customers(card);
  await alerts.planAgain(step(alert(), '1', does));
  expect((await alerts.sends()).map(({ type }) => type)).toEqual([channel]);
  expect(await alerts.tasks()).toEqual([]);
});

test('a call is one task, in the words of one; the task that is there is told', async () => {
  const first = alert();
  await alerts.planAgain(step(first, '3', call));
  await alerts.planAgain(step(first, '3', call));
  expect(await alerts.sends()).toEqual([]);
  expect(await alerts.tasks()).toMatchObject([
    {
      priority: 'NORMAL',
      rung: '60',
      title: 'Call: Residence permit of Ada Demo',
      notes: 'Alert 60: Call the customer, who has not answered',
    },
  ]);
  const other = triggered({ rung: '14' });
  await alerts.planAll(other);
  await alerts.planAgain({ ...step(other, '1', call), rung: '14' });
  expect((await alerts.tasks())[1]).toMatchObject({
    priority: 'HIGH',
    notes: expect.stringContaining('Call the customer'),
  });
});

test('a step that fails is followed by the next of its channels, and that by the task', async () => {
  const first = alert();
  await alerts.planAll(first);
  await alerts.planAgain(step(first, '2', app));
  const failLast = async () => {
    const last = (await alerts.sends()).at(-1);
    await alerts.hear(deliveryOf({ communication_id: last?.send_id as string, status: 'FAILED' }));
  };
  await failLast();
  await failLast();
  await failLast();
  expect((await alerts.sends()).slice(2).map(({ type }) => type)).toEqual(['MESSAGING_APP', 'SMS', 'EMAIL']);
  expect(await alerts.tasks()).toMatchObject([{ priority: 'NORMAL', notes: expect.stringContaining('SMS: failed') }]);
});

test('where what the customer prefers took its place and fails, the first of its channels comes before its others', async () => {
  desk.customers(cardOf({ preferred_channel: 'EMAIL' }));
  await alerts.planAgain(step(alert(), '2', app));
  const [byMail] = await alerts.sends();
  await alerts.hear(deliveryOf({ communication_id: byMail?.send_id as string, status: 'FAILED' }));
  expect((await alerts.sends()).map(({ type }) => type)).toEqual(['EMAIL', 'MESSAGING_APP']);
});

test('what fails of the alert after a step of it went is answered by nothing: the step counts', async () => {
  const first = alert();
  await alerts.planAll(first);
  const [byApp] = await alerts.sends();
  await alerts.planAgain(step(first, '1'));
  await alerts.hear(deliveryOf({ communication_id: byApp?.send_id as string, status: 'FAILED' }));
  expect((await alerts.sends()).map(({ type }) => type)).toEqual(['MESSAGING_APP', 'EMAIL', 'EMAIL']);
});

test('a step of a renewal that is held, over or moved by then writes to nobody', async () => {
  const because = { because: 'answered', until: '2026-04-01' } as const;
  for (const [given, code] of [
    [{ hold: because }, 'held'],
    [{ status: 'COMPLETED' }, 'renewal_completed'],
    [{ due_date: '2027-01-01' }, 'due_date_changed'],
  ] as const) {
    const first = alert();
    await alerts.planAll(first);
    await alerts.follow(changed(first, given));
    const before = (await alerts.sends()).length;
    await alerts.planAgain(step(first, '1'));
    expect((await alerts.sends()).length).toBe(before);
    expect((await alerts.outcomes()).at(-1)).toMatchObject({ step: '1', reason: { code } });
  }
});

test('a call that was decided before its renewal was held is a task all the same: a hold stops messages alone', async () => {
  const first = alert();
  await alerts.planAll(first);
  await alerts.follow(changed(first, { hold: { because: 'acknowledged', until: '2026-04-01' } }));
  const before = (await alerts.sends()).length;
  await alerts.planAgain(step(first, '3', { channels: ['EMAIL'], task: 'NORMAL' }));
  expect((await alerts.sends()).length).toBe(before);
  expect(await alerts.tasks()).toMatchObject([{ status: 'OPEN', title: 'Call: Residence permit of Ada Demo' }]);
  expect(await told()).toEqual([
    ['3', 'EMAIL', 'not_sent', null],
    ['3', 'TASK', 'planned', null],
  ]);
});

test('a task of the alert comes back with a date that is put right, whichever step went last', async () => {
  const first = triggered({ rung: '14' });
  await alerts.planAll(first);
  await alerts.planAgain({ ...step(first, '1'), rung: '14' });
  await alerts.follow(changed(first, { due_date: '2027-03-31', version: 2 }));
  expect(await alerts.tasks()).toMatchObject([{ status: 'CANCELLED' }]);
  await alerts.follow(changed(first, { version: 3 }));
  expect(await alerts.tasks()).toMatchObject([{ status: 'OPEN' }]);
});
