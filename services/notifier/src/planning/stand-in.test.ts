import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { type Alerts, alertsAt, cardOf, changed, type Refusal, triggered } from '../../test/alerts.ts';
import { type Desk, openDesk, queuedMessage } from '../../test/desk.ts';

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

const told = async () =>
  (await alerts.outcomes()).map(
    ({ channel, outcome, instead_of, reason }) =>
      `${channel}${instead_of ? ` for ${instead_of}` : ''} ${outcome}${reason ? ` ${reason.code}` : ''}`,
  );

/** The message of the last alert on this channel, refused for this reason. */
async function refusal(type: string, code: string): Promise<Refusal> {
  const send = (await alerts.sends()).findLast((one) => one.type === type);
  return { communication_id: send?.send_id ?? '', code };
}

test('opted out of after it was planned: the next channel stands in, once', async () => {
  const alert = triggered({ rung: '14' });
  await alerts.planAll(alert);
  desk.customers(cardOf({ opted_out: ['MESSAGING_APP'] }));
  const refused = await refusal('MESSAGING_APP', 'opted_out');
  await alerts.refuse(refused, refused);
  await alerts.refuse(refused);
  const planned = ['MESSAGING_APP planned', 'TASK planned'];
  expect(await told()).toEqual([...planned, 'MESSAGING_APP not_sent opted_out', 'EMAIL for MESSAGING_APP planned']);
  const sends = await alerts.sends();
  expect(sends.map(({ type, rung, renewal_id }) => [type, rung, renewal_id])).toEqual([
    ['MESSAGING_APP', '14', alert.renewal_id],
    ['EMAIL', '14', alert.renewal_id],
  ]);
  expect(sends[1]?.body).toContain('Residence permit');
  const ids = (await alerts.outcomes()).map(({ communication_id }) => communication_id);
  expect(ids).toEqual([sends[0]?.send_id, null, sends[0]?.send_id, sends[1]?.send_id]);
});

test('what stands in may be refused as well: a channel is used once, and the last word is a task', async () => {
  await alerts.planAll(triggered({ rung: '60' }));
  desk.customers(cardOf({ opted_out: ['MESSAGING_APP', 'EMAIL'] }));
  await alerts.refuse(await refusal('MESSAGING_APP', 'opted_out'), await refusal('EMAIL', 'opted_out'));
  expect((await told()).slice(2)).toEqual([
    'MESSAGING_APP not_sent opted_out',
    'EMAIL not_sent opted_out',
    'SMS for MESSAGING_APP planned',
  ]);
  expect(await alerts.tasks()).toEqual([]);
  desk.customers(cardOf({ phones: [], opted_out: ['EMAIL'] }));
  await alerts.refuse(await refusal('SMS', 'no_recipient'));
  expect((await told()).slice(5)).toEqual([
    'SMS for MESSAGING_APP not_sent no_recipient',
    'TASK planned nobody_written_to',
  ]);
  expect(await alerts.tasks()).toMatchObject([
    { priority: 'NORMAL', rung: '60', title: 'Residence permit of Ada Demo' },
  ]);
});

test('not to be contacted any more: no other channel is tried; the task of the alert says so', async () => {
  await alerts.planAll(triggered({ rung: 'OVERDUE' }));
  desk.customers(cardOf({ do_not_contact: true }));
  const refusals = [await refusal('MESSAGING_APP', 'do_not_contact'), await refusal('EMAIL', 'do_not_contact')];
  for (const one of refusals) await alerts.refuse(one);
  expect((await told()).slice(3)).toEqual([
    'MESSAGING_APP not_sent do_not_contact',
    'EMAIL not_sent do_not_contact',
    'TASK planned nobody_written_to',
  ]);
  expect(await alerts.tasks()).toMatchObject([
    {
      priority: 'URGENT',
      notes:
        'Alert OVERDUE: No message reached the customer. Messaging app: comms-service says do_not_contact. ' +
        'E-mail: comms-service says do_not_contact.',
    },
  ]);
});

test('while a message of another channel is on its way or has arrived, no task says that nobody was written to', async () => {
  await alerts.planAll(triggered({ rung: '30' }));
  desk.customers(cardOf({ phones: [] }));
  await alerts.refuse(await refusal('MESSAGING_APP', 'no_recipient'));
  expect((await told()).slice(2)).toEqual([
    'MESSAGING_APP not_sent no_recipient',
    'SMS for MESSAGING_APP not_sent no_recipient',
  ]);
  expect(await alerts.tasks()).toEqual([]);
});

test('the task that was decided on and not made yet is made with what it has to say', async () => {
  const alert = triggered({ rung: '7' });
  await alerts.plan('messaging', alert);
  desk.customers(cardOf({ do_not_contact: true }));
  await alerts.refuse(await refusal('MESSAGING_APP', 'do_not_contact'));
  await alerts.plan('task', alert);
  expect(await told()).toEqual([
    'MESSAGING_APP planned',
    'MESSAGING_APP not_sent do_not_contact',
    'TASK planned nobody_written_to',
  ]);
  expect(await alerts.tasks()).toMatchObject([{ priority: 'URGENT', version: 1 }]);
});

test('nothing stands in when the renewal is due on another day by now', async () => {
  const alert = triggered({ rung: '14' });
  await alerts.plan('messaging', alert);
  const refused = await refusal('MESSAGING_APP', 'opted_out');
  await desk.db('followed_renewals').update({ due_date: '2027-03-31' });
  await alerts.refuse(refused);
  expect(await told()).toEqual(['MESSAGING_APP planned', 'MESSAGING_APP not_sent opted_out']);
});

test('nothing stands in once a tighter alert has written', async () => {
  const alert = triggered({ rung: '30' });
  await alerts.plan('messaging', alert);
  const refused = await refusal('MESSAGING_APP', 'opted_out');
  // It was on the wire by then.
  await desk.queue(queuedMessage({ communication_id: refused.communication_id, automated: true }));
  await desk.db('sends').update({ status: 'FAILED', message: null });
  await alerts.plan('messaging', { ...alert, rung: '14' });
  await alerts.refuse(refused);
  expect((await alerts.sends()).map(({ rung, type }) => `${rung} ${type}`)).toEqual([
    '30 MESSAGING_APP',
    '14 MESSAGING_APP',
  ]);
});

test('what is no alert leads to nothing', async () => {
  await alerts.refuse({ communication_id: triggered().renewal_id, code: 'opted_out' });
  expect(await told()).toEqual([]);
});

test('reminders switched off while it waited: nothing stands in, and the task says why', async () => {
  const alert = triggered({ rung: '14' });
  await alerts.plan('messaging', alert);
  await alerts.follow(changed(alert, { reminders: 'off' }));
  await alerts.refuse(await refusal('MESSAGING_APP', 'opted_out'));
  expect(await told()).toEqual([
    'MESSAGING_APP planned',
    'MESSAGING_APP cancelled reminders_off',
    'TASK planned nobody_written_to',
  ]);
});
