import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { InternalCallError } from '@ops/service-kit/internal-client';
import { emptyTables } from '@ops/test-kit/empty-tables';
import {
  type Alerts,
  alertsAt,
  cardOf,
  carriers,
  changed,
  completed,
  type Triggered,
  triggered,
} from '../../test/alerts.ts';
import { type Desk, openDesk, queuedMessage } from '../../test/desk.ts';

let desk: Desk;
let alerts: Alerts;

beforeEach(async () => {
  desk.customers(cardOf());
  desk.sent.length = 0;
  await emptyTables(desk.db, 'alert_actions', 'followed_renewals', 'tasks', 'agents', 'sends', 'outbox');
});
beforeAll(async () => {
  desk = await openDesk();
  alerts = alertsAt(desk);
});
afterAll(() => desk.close());

const told = async () =>
  (await alerts.outcomes()).map(
    ({ rung, channel, outcome, reason }) => `${rung} ${channel} ${outcome}${reason ? ` ${reason.code}` : ''}`,
  );
const dayMs = 86_400_000;

/** The same renewal at two rungs, the looser one first. */
function twice(): [Triggered, Triggered] {
  const looser = triggered({ rung: '30', due_date: '2026-03-31', days_until_due: 30 });
  return [looser, { ...looser, rung: '14', days_until_due: 14 }];
}

/** Its messages as comms-service would queue them. */
async function queueSends(): Promise<void> {
  const queued = (await alerts.sends()).map(({ send_id: communication_id, renewal_id, send_after, type }) =>
    queuedMessage({ communication_id, renewal_id, send_after, type, to: 'ada@example.com', automated: true }),
  );
  await desk.queue(...queued);
}

test('the days are those of the day it leaves, however long the alert had waited', async () => {
  const { deps } = desk;
  const alert = triggered({ rung: '7', due_date: '2026-03-08', days_until_due: 7 });
  const days = async () => (await alerts.sends()).map(({ body }) => /days left: (\d+)/.exec(body)?.[1]);
  const today = deps.today;
  deps.today = () => '2026-03-04';
  await alerts.plan('messaging', alert);
  deps.today = () => '2026-03-10';
  await alerts.plan('messaging', { ...alert, renewal_id: triggered().renewal_id });
  const overdue = { ...alert, renewal_id: triggered().renewal_id, rung: 'OVERDUE' as const, days_until_due: -1 };
  await alerts.plan('messaging', overdue);
  deps.today = today;
  expect(await days()).toEqual(['4', '0', undefined]);
  expect((await alerts.sends())[2]?.body).toContain('days past: 2');
});

test('one that comes after a tighter one of the same date writes nothing more', async () => {
  const [looser, tighter] = twice();
  await alerts.planAll(tighter);
  await alerts.planAll(looser);
  expect((await alerts.sends()).map(({ rung }) => rung)).toEqual(['14']);
  expect(await told()).toEqual([
    '14 MESSAGING_APP planned',
    '14 TASK planned',
    '30 MESSAGING_APP cancelled superseded',
    '30 EMAIL cancelled superseded',
  ]);
  expect((await alerts.outcomes()).slice(2).map(({ communication_id }) => communication_id)).toEqual([null, null]);
});

test('with a tighter one in the same batch, whichever is first there, it writes nothing', async () => {
  const [looser, tighter] = twice();
  const [another, tighterOne] = twice();
  await alerts.planAll(looser, tighter, tighterOne, another);
  expect((await alerts.sends()).map(({ rung, type }) => `${rung} ${type}`)).toEqual([
    '14 MESSAGING_APP',
    '14 MESSAGING_APP',
  ]);
});

test('a tighter one about another date, or one that was stopped itself, takes nobody’s place', async () => {
  const [looser, tighter] = twice();
  await alerts.planAll({ ...tighter, due_date: '2026-03-20' });
  await alerts.follow(changed(tighter, { due_date: '2026-04-01', version: 2 }));
  await alerts.planAll({ ...tighter, version: 1 });
  await alerts.follow(changed(tighter, { due_date: '2026-03-31', version: 3 }));
  await alerts.plan('messaging', { ...looser, version: 3 });
  expect((await alerts.sends()).map(({ rung }) => rung)).toEqual(['14', '30']);
});

test('what a looser one has sent stays sent', async () => {
  const [looser, tighter] = twice();
  await alerts.planAll(looser);
  await queueSends();
  await desk.worker.runOnce();
  desk.sent.length = 0;
  await emptyTables(desk.db, 'outbox');
  await alerts.planAll(tighter);
  expect(await told()).toEqual(['14 MESSAGING_APP planned', '14 TASK planned']);
});

test('in the quiet hours the tighter one takes its place, in both logs', async () => {
  desk.customers(cardOf({ time_zone: 'America/Los_Angeles' }));
  const [looser, tighter] = twice();
  await alerts.planAll(looser);
  await queueSends();
  await alerts.planAll(tighter);
  expect((await alerts.deliveryNews()).map(({ status, failure }) => [status, failure?.code])).toEqual([
    ['CANCELLED', 'superseded'],
    ['CANCELLED', 'superseded'],
  ]);
  expect(await told()).toEqual([
    '30 MESSAGING_APP planned',
    '30 EMAIL planned',
    '30 MESSAGING_APP cancelled superseded',
    '30 EMAIL cancelled superseded',
    '14 MESSAGING_APP planned',
    '14 TASK planned',
  ]);
  const [first] = await alerts.sends();
  expect((await alerts.outcomes())[2]?.communication_id).toBe(first?.send_id);
  desk.passMs(dayMs);
  await desk.worker.runOnce();
  expect(desk.sent).toEqual([]);
  desk.passMs(-dayMs);
});

test('before comms-service had queued it: stopped when it is', async () => {
  const [looser, tighter] = twice();
  await alerts.plan('email', looser);
  await alerts.plan('messaging', tighter);
  await queueSends();
  expect((await alerts.deliveryNews()).map(({ status, failure }) => [status, failure?.code])).toEqual([
    ['CANCELLED', 'superseded'],
  ]);
});

const away = new InternalCallError('comms-service could not be asked');

async function whileCommsIsAway(work: () => Promise<unknown>): Promise<void> {
  const { comms } = desk.deps;
  desk.deps.comms = { ...comms, cards: () => Promise.reject(away) };
  await work().finally(() => {
    desk.deps.comms = comms;
  });
}

test('while comms-service is away the plan’s own task is made, and all else waits', async () => {
  const alert = triggered({ rung: '7', assigned_agent: 'agent-1' });
  await whileCommsIsAway(async () => {
    for (const carrier of ['messaging', 'email'] as const)
      await expect(alerts.plan(carrier, alert)).rejects.toMatchObject({ away: true });
    await alerts.plan('task', alert);
    await expect(alerts.plan('task', triggered({ rung: '30' }))).rejects.toMatchObject({ away: true });
  });
  expect(await alerts.tasks()).toMatchObject([
    { priority: 'URGENT', title: 'Residence permit of C-1', assigned_agent: 'agent-1', notes: null },
  ]);
  await alerts.planAll(alert);
  expect(await told()).toEqual(['7 TASK planned', '7 MESSAGING_APP planned']);
  expect(await alerts.tasks()).toMatchObject([{ version: 1 }]);
});

test('while comms-service is away nothing waits of a silent alert, which asks it nothing', async () => {
  await whileCommsIsAway(() =>
    alerts.planAll(triggered({ rung: '7', silent: true }), triggered({ rung: '90', silent: true })),
  );
  expect(await told()).toEqual(expect.arrayContaining(['7 TASK planned silent', '90 EMAIL not_sent silent']));
  expect(await alerts.tasks()).toMatchObject([{ priority: 'URGENT' }]);
});

test('found out when comms-service is back that nobody can be written to: the task that was made says so', async () => {
  const alert = triggered({ rung: '7' });
  await whileCommsIsAway(() => alerts.plan('task', alert));
  desk.customers(cardOf({ do_not_contact: true }));
  for (const carrier of carriers) await alerts.plan(carrier, alert, alert);
  expect(await told()).toEqual([
    '7 TASK planned',
    '7 TASK planned nobody_written_to',
    '7 MESSAGING_APP not_sent do_not_contact',
  ]);
  expect(await alerts.tasks()).toMatchObject([
    { priority: 'URGENT', notes: expect.stringContaining('not to be contacted'), version: 2 },
  ]);
});

test('completed when comms-service is back: nothing is said of a task that was made and closed', async () => {
  const alert = triggered({ rung: '7' });
  await whileCommsIsAway(() => alerts.plan('task', alert));
  await alerts.follow(completed(alert));
  await alerts.planAll(alert);
  expect(await told()).toEqual(['7 TASK planned', '7 MESSAGING_APP cancelled renewal_completed']);
  expect(await alerts.tasks()).toMatchObject([{ status: 'DONE', closed_because: 'renewal_completed' }]);
});
