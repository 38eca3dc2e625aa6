import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Hold } from '@ops/contracts/resources/renewal';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { type Alerts, alertsAt, cardOf, changed, type Triggered, triggered } from '../../test/alerts.ts';
import { type Desk, openDesk, queuedMessage } from '../../test/desk.ts';

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

const started: Hold = { because: 'started', until: null };
const answered: Hold = { because: 'answered', until: '2026-03-15' };
const overToday: Hold = { because: 'acknowledged', until: '2026-03-01' };

/** What others were told of each channel, in order. */
const told = async () =>
  (await alerts.outcomes()).map(({ channel, step, outcome, reason }) => [channel, step, outcome, reason?.code ?? null]);

test.each([started, answered])(
  'held, because %j: nothing is sent or stands in, and nobody is told so',
  async (hold) => {
    await alerts.planAll(triggered({ hold }));
    expect(await told()).toEqual([
      ['MESSAGING_APP', '0', 'not_sent', 'held'],
      ['EMAIL', '0', 'not_sent', 'held'],
    ]);
    expect([await alerts.sends(), await alerts.tasks()]).toEqual([[], []]);
  },
);

test('held, and the alert itself is older than what was told of the renewal since', async () => {
  const alert = triggered();
  await alerts.follow(changed(alert, { hold: started }));
  await alerts.planAll(alert);
  expect((await told()).map(([, , , reason]) => reason)).toEqual(['held', 'held']);
});

test('the task of the plan is made all the same', async () => {
  desk.customers(cardOf({ phones: [], emails: [] }));
  await alerts.planAll(triggered({ rung: '14', hold: started }));
  expect(await told()).toEqual([
    ['MESSAGING_APP', '0', 'not_sent', 'held'],
    ['TASK', '0', 'planned', null],
  ]);
  expect(await alerts.tasks()).toMatchObject([{ priority: 'HIGH', notes: null }]);
});

test('a hold that is over that day keeps nothing back', async () => {
  await alerts.planAll(triggered({ hold: overToday }));
  expect((await alerts.sends()).map(({ type }) => type)).toEqual(['MESSAGING_APP', 'EMAIL']);
});

/** An alert's e-mail, as comms-service queues it. */
async function queuedMail(alert: Triggered, attempt = 1) {
  const send = (await alerts.sends()).find(({ type }) => type === 'EMAIL');
  if (!send) throw new Error('no e-mail was planned');
  const same = { communication_id: send.send_id, renewal_id: alert.renewal_id, send_after: null, automated: true };
  const mail = queuedMessage({ ...same, attempt, type: 'EMAIL', to: 'ada@example.com' });
  await desk.queue(mail);
  return mail;
}

test('what waits unsent when a hold begins is cancelled, and told so once', async () => {
  const alert = triggered();
  await alerts.plan('email', alert);
  await queuedMail(alert);
  await alerts.follow(changed(alert, { hold: answered }));
  await alerts.follow(changed(alert, { hold: answered }));
  expect(await desk.worker.runOnce()).toEqual({ taken: 0 });
  expect(await alerts.deliveryNews()).toMatchObject([{ status: 'CANCELLED', failure: { code: 'held' } }]);
  expect(await told()).toEqual([
    ['EMAIL', '0', 'planned', null],
    ['EMAIL', '0', 'cancelled', 'held'],
  ]);
});

test('before its own queue came to it: it is not handed over', async () => {
  const alert = triggered();
  await alerts.plan('task', alert);
  await alerts.follow(changed(alert, { hold: started }));
  await alerts.planAll(alert);
  expect(await alerts.sends()).toEqual([]);
  expect((await told()).map(([, , outcome, reason]) => [outcome, reason])).toEqual([
    ['cancelled', 'held'],
    ['cancelled', 'held'],
  ]);
});

test('not told of the hold yet: asked before the try, cancelled, and told though it be over when we hear of it', async () => {
  const alert = triggered();
  await alerts.plan('email', alert);
  await queuedMail(alert);
  desk.renewals(() => ({ hold: started }));
  expect(await desk.worker.runOnce()).toEqual({ taken: 1 });
  expect(desk.sent).toEqual([]);
  await alerts.follow(changed(alert, { hold: null }));
  expect(await told()).toEqual([
    ['EMAIL', '0', 'planned', null],
    ['EMAIL', '0', 'cancelled', 'held'],
  ]);
});

test('what a person sends again leaves, whether it waits when the hold begins or comes after that', async () => {
  const alert = triggered();
  await alerts.plan('email', alert);
  desk.next({ kind: 'refused', code: '550', message: 'no such mailbox' });
  await queuedMail(alert);
  await desk.worker.runOnce();
  await queuedMail(alert, 2);
  await alerts.follow(changed(alert, { hold: started }));
  await desk.worker.runOnce();
  await queuedMail(alert, 3);
  await desk.worker.runOnce();
  expect(desk.sent).toHaveLength(3);
  expect((await alerts.deliveryNews()).map(({ status }) => status)).toEqual(['FAILED', 'SENT', 'SENT']);
});

test('after the hold the rung is sent once more, by the channels of the plan, falling through, and without a second task', async () => {
  const alert = triggered({ rung: '14', hold: answered });
  await alerts.planAll(alert);
  await desk.db('tasks').update({ status: 'DONE', closed_at: desk.deps.now() });
  desk.customers(cardOf({ opted_out: ['MESSAGING_APP'] }));
  const again = { ...alert, hold: null, version: 2, step: 'after_hold', does: null };
  await alerts.planAgain(again);
  await alerts.planAgain(again);
  expect((await told()).slice(2)).toEqual([
    ['MESSAGING_APP', 'after_hold', 'not_sent', 'opted_out'],
    ['EMAIL', 'after_hold', 'planned', null],
  ]);
  expect((await alerts.sends()).map(({ type, rung }) => [type, rung])).toEqual([['EMAIL', '14']]);
  expect(await alerts.tasks()).toHaveLength(1);
});

test('after the hold nobody is reached: that is a task', async () => {
  desk.customers(cardOf({ do_not_contact: true }));
  await alerts.planAgain({ ...triggered(), step: 'after_hold', does: null });
  expect(await alerts.tasks()).toMatchObject([{ notes: expect.stringContaining('not to be contacted') }]);
});

test('a message refused while somebody is at it: nothing stands in', async () => {
  const alert = triggered();
  await alerts.plan('email', alert);
  await alerts.follow(changed(alert, { hold: started }));
  const [send] = await alerts.sends();
  await alerts.refuse({ communication_id: send?.send_id as string, code: 'opted_out' });
  expect([await alerts.tasks(), (await alerts.sends()).length]).toEqual([[], 1]);
});

test('held while it is on the wire, and not taken: it is told that this was kept back', async () => {
  const alert = triggered();
  await alerts.plan('email', alert);
  desk.next(async () => {
    await alerts.follow(changed(alert, { hold: started }));
    return { kind: 'not_taken', reason: '503' };
  });
  await queuedMail(alert);
  await desk.worker.runOnce();
  const [news] = await alerts.deliveryNews();
  if (!news) throw new Error('nothing was told');
  await alerts.hear(news, news);
  expect(await told()).toEqual([
    ['EMAIL', '0', 'planned', null],
    ['EMAIL', '0', 'cancelled', 'held'],
  ]);
});

test('reminders switched off while it is on the wire, and not taken: a task says so', async () => {
  const alert = triggered();
  desk.customers(cardOf({ phones: [] }));
  await alerts.planAll(alert);
  desk.next(async () => {
    await alerts.follow(changed(alert, { reminders: 'off' }));
    return { kind: 'not_taken', reason: '503' };
  });
  await queuedMail(alert);
  await desk.worker.runOnce();
  await alerts.hear(...(await alerts.deliveryNews()));
  await alerts.lookAgain();
  expect(await alerts.tasks()).toMatchObject([{ notes: expect.stringContaining('switched off') }]);
});

test('one message failed and another was kept back: what is sent after the hold takes the place of both', async () => {
  const alert = triggered();
  await alerts.planAll(alert);
  const [app] = (await alerts.sends()).map(({ send_id }) => send_id) as [string];
  await alerts.follow(changed(alert, { hold: { because: 'acknowledged', until: '2026-03-02' } }));
  await alerts.refuse({ communication_id: app, code: 'opted_out' });
  desk.passMs(24 * 3_600_000);
  await alerts.lookAgain();
  expect(await alerts.sends()).toHaveLength(2);
  desk.passMs(-24 * 3_600_000);
});
