import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { InternalCallError } from '@ops/service-kit/internal-client';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { tablesHolding } from '@ops/test-kit/find-text';
import { canary } from '@ops/test-kit/logs';
import {
  type Alerts,
  alertsAt,
  cardOf,
  changed,
  completed,
  type Delivery,
  deliveryOf,
  triggered,
} from '../../test/alerts.ts';
import { cutOff, type Desk, openDesk } from '../../test/desk.ts';

import { lookAtAlerts } from './ends-service.ts';

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

const passHours = (hours: number) => desk.passMs(hours * 3_600_000);

/** By whom alerts wrote, in order. */
const written = async () => (await alerts.sends()).map(({ type }) => type);

/** What sending tells of the alert's message on this channel. */
async function news(type: string, status: Delivery['status'], given: Partial<Delivery> = {}): Promise<Delivery> {
  const communication_id = (await alerts.sends()).findLast((one) => one.type === type)?.send_id;
  if (!communication_id) throw new Error(`nothing was sent by ${type}`);
  return deliveryOf({ communication_id, status, occurred_at: desk.deps.now().toISOString(), ...given });
}
const hear = async (...told: Parameters<typeof news>) => alerts.hear(await news(...told));

const undeliverable = { failure: { code: 'cloud-api:131026', message: 'Message undeliverable' } };
const noHandset = { failure: { code: 'twilio:30005', message: 'Unknown destination handset' } };
const onlyPhone = cardOf({ emails: [] });

test.each([
  ['90', 'NORMAL'],
  ['60', 'NORMAL'],
  ['30', 'HIGH'],
  ['14', 'HIGH'],
  ['7', 'URGENT'],
  ['OVERDUE', 'URGENT'],
] as const)(
  'at %s, failed by every channel a phone has, it is a task that lists what was tried',
  async (rung, priority) => {
    desk.customers(onlyPhone);
    await alerts.planAll(triggered({ rung }));
    await hear('MESSAGING_APP', 'FAILED', undeliverable);
    await hear('SMS', 'FAILED', noHandset);
    expect(await alerts.tasks()).toMatchObject([{ rung, priority, status: 'OPEN' }]);
    const [{ notes } = { notes: null }] = await alerts.tasks();
    expect(String(notes).split('. ').sort()).toEqual(
      [
        `Alert ${rung}: No message reached the customer`,
        'E-mail: The customer has no address for e-mail',
        'Messaging app: failed (Message undeliverable)',
        'SMS: failed (Unknown destination handset).',
      ].sort(),
    );
  },
);

test('a failure is followed by one other channel, however often it is told and whatever staff send again', async () => {
  await alerts.planAll(triggered({ rung: '14' }));
  const first = await news('MESSAGING_APP', 'FAILED', undeliverable);
  await alerts.hear(first, first);
  await alerts.hear({ ...first, attempt: 2 });
  expect(await written()).toEqual(['MESSAGING_APP', 'EMAIL']);
  await hear('EMAIL', 'FAILED');
  expect(await written()).toEqual(['MESSAGING_APP', 'EMAIL', 'SMS']);
});

test('what the provider said of a failure itself is not kept with its alert, which is kept for good', async () => {
  await alerts.planAll(triggered({ rung: '14' }));
  const said = canary();
  await hear('MESSAGING_APP', 'FAILED', { failure: { ...undeliverable.failure, detail: said } });
  expect(await desk.db('alert_actions').whereNotNull('heard')).toMatchObject([{ heard: undeliverable }]);
  expect(await tablesHolding(desk.db, said)).toEqual([]);
});

test('no other channel is tried once one has reached the customer; when that fails days later, it is', async () => {
  await alerts.planAll(triggered({ rung: '30' }));
  await hear('EMAIL', 'SENT');
  await hear('MESSAGING_APP', 'FAILED', undeliverable);
  expect(await written()).toEqual(['MESSAGING_APP', 'EMAIL']);
  passHours(72);
  await hear('EMAIL', 'FAILED');
  expect(await written()).toEqual(['MESSAGING_APP', 'EMAIL', 'SMS']);
  await hear('SMS', 'SENT');
  expect(await alerts.tasks()).toEqual([]);
});

test('sent and never confirmed by the messaging app, it is given up after 72 hours; confirmed by then, it is not', async () => {
  await alerts.planAll(triggered({ rung: '14' }), triggered({ rung: '14', customer_id: 'C-1' }));
  const [lost, confirmed] = (await alerts.sends()).map(({ send_id }) => send_id) as [string, string];
  await alerts.hear(await news('MESSAGING_APP', 'SENT', { communication_id: lost }));
  await alerts.hear(await news('MESSAGING_APP', 'SENT', { communication_id: confirmed }));
  passHours(71.9);
  expect(await alerts.lookAgain()).toEqual({ looked: 0 });
  await alerts.hear(await news('MESSAGING_APP', 'DELIVERED', { communication_id: confirmed }));
  passHours(0.1);
  await Promise.all([alerts.lookAgain(), alerts.lookAgain(), alerts.lookAgain()]);
  expect(await written()).toEqual(['MESSAGING_APP', 'MESSAGING_APP', 'EMAIL']);
  expect(await alerts.lookAgain()).toEqual({ looked: 0 });
});

test('told at once of all that became of it, the strongest counts', async () => {
  await alerts.planAll(triggered({ rung: '14' }));
  const told = [await news('MESSAGING_APP', 'DELIVERED'), await news('MESSAGING_APP', 'FAILED', undeliverable)];
  const sent = await news('MESSAGING_APP', 'SENT');
  await alerts.hear(sent, ...told);
  await desk.db('alert_actions').update({ heard: null });
  await alerts.hear(...told, sent);
  expect(await alerts.lookAgain()).toEqual({ looked: 0 });
  passHours(72);
  expect(await alerts.lookAgain()).toEqual({ looked: 0 });
  expect(await written()).toEqual(['MESSAGING_APP']);
});

test('nobody knows for 24 hours: the task alone, since the customer may have it; what is heard later is noted there', async () => {
  await alerts.planAll(triggered({ rung: '30' }));
  await hear('EMAIL', 'FAILED');
  await hear('MESSAGING_APP', 'FAILED', undeliverable);
  await hear('SMS', 'UNCERTAIN');
  passHours(23);
  await alerts.lookAgain();
  expect(await alerts.tasks()).toEqual([]);
  passHours(1);
  await alerts.lookAgain();
  const tried =
    'Alert 30: No message reached the customer. Messaging app: failed (Message undeliverable). ' +
    'E-mail: failed (No such mailbox). SMS: perhaps sent, which nobody knows.';
  expect(await alerts.tasks()).toMatchObject([{ priority: 'HIGH', notes: tried }]);
  await hear('SMS', 'DELIVERED');
  await hear('SMS', 'DELIVERED');
  const after = 'Alert 30: The message by SMS has reached the customer after all';
  expect(await alerts.tasks()).toMatchObject([{ status: 'OPEN', notes: `${tried}\n${after}`, version: 2 }]);
  expect(await written()).toEqual(['MESSAGING_APP', 'EMAIL', 'SMS']);
});

test.each([
  ['sent', 'SENT', ['EMAIL']],
  ['not sent', 'FAILED', ['EMAIL', 'SMS']],
] as const)(
  'uncertain, and found by staff to have been %s: no task says that nobody knows',
  async (_, status, channels) => {
    desk.customers(cardOf({ opted_out: ['MESSAGING_APP'] }));
    await alerts.planAll(triggered({ rung: '14' }));
    await hear('EMAIL', 'UNCERTAIN');
    const { communication_id, customer_id, occurred_at } = await news('EMAIL', status);
    await alerts.settle({ communication_id, customer_id, occurred_at, attempt: 1, status, failure: null });
    passHours(24);
    await alerts.lookAgain();
    expect(await written()).toEqual(channels);
    expect(await alerts.tasks()).toMatchObject([{ notes: null }]);
  },
);

test('sent again by staff after all had failed, it reaches the customer: the task learns of it', async () => {
  desk.customers(cardOf({ phones: [] }));
  await alerts.planAll(triggered({ rung: '60' }));
  const failed = await news('EMAIL', 'FAILED');
  await alerts.hear(failed);
  await alerts.hear(await news('EMAIL', 'SENT', { attempt: 2 }), { ...failed, status: 'SENT', failure: null });
  expect(await alerts.tasks()).toMatchObject([
    { notes: expect.stringContaining('by e-mail has reached the customer') },
  ]);
  expect(await written()).toEqual(['EMAIL']);
});

test('a task that somebody has done does not come back when more is heard of the same alert', async () => {
  desk.customers(onlyPhone);
  await alerts.planAll(triggered({ rung: '60' }));
  await hear('MESSAGING_APP', 'UNCERTAIN');
  await hear('SMS', 'FAILED', noHandset);
  passHours(24);
  await alerts.lookAgain();
  await desk.db('tasks').update({ status: 'DONE', closed_at: desk.deps.now(), closed_because: 'done' });
  await hear('MESSAGING_APP', 'FAILED', undeliverable);
  await hear('MESSAGING_APP', 'DELIVERED');
  expect(await alerts.tasks()).toMatchObject([{ status: 'DONE', notes: expect.not.stringContaining('after all') }]);
});

test('at 14 the task of the plan learns that nobody was reached', async () => {
  desk.customers(onlyPhone);
  await alerts.planAll(triggered({ rung: '14' }));
  expect(await alerts.tasks()).toMatchObject([{ priority: 'HIGH', notes: null }]);
  await hear('MESSAGING_APP', 'FAILED', undeliverable);
  await hear('SMS', 'FAILED', noHandset);
  expect(await alerts.tasks()).toMatchObject([{ priority: 'HIGH', notes: expect.stringContaining('SMS: failed') }]);
});

test.each([
  ['its renewal is over', (alert: ReturnType<typeof triggered>) => alerts.follow(completed(alert))],
  [
    'its date was moved',
    (alert: ReturnType<typeof triggered>) => alerts.follow(changed(alert, { due_date: '2026-06-30' })),
  ],
  ['a tighter alert has fired', (alert: ReturnType<typeof triggered>) => alerts.planAll({ ...alert, rung: '7' })],
] as const)('nothing follows a failure or a silence once %s', async (_, overtake) => {
  const alert = triggered({ rung: '30' });
  await alerts.planAll(alert);
  const app = await news('MESSAGING_APP', 'SENT');
  await alerts.hear(app);
  const mail = await news('EMAIL', 'FAILED');
  await overtake(alert);
  const before = await written();
  await alerts.hear(mail);
  passHours(72);
  await alerts.lookAgain();
  expect(await written()).toEqual(before);
  expect(await alerts.tasks()).toEqual(before.length > 2 ? [expect.objectContaining({ rung: '7', notes: null })] : []);
});

test.each([
  ['moved by mistake and put right', { due_date: '2027-03-31' }],
  ['completed by mistake and reopened', { status: 'COMPLETED' as const }],
])('%s: what was stopped meanwhile is not sent any more, so a task says so', async (_, mistake) => {
  const alert = triggered({ rung: '30' });
  await alerts.planAll(alert);
  await alerts.follow(changed(alert, { ...mistake, version: 2 }));
  await alerts.lookAgain();
  expect(await alerts.tasks()).toEqual([]);
  await alerts.follow(changed(alert, { version: 3 }));
  await alerts.lookAgain();
  expect(await alerts.tasks()).toMatchObject([{ priority: 'HIGH', status: 'OPEN', rung: '30' }]);
  expect(await written()).toHaveLength(2);
});

test('reminders switched off while all of its messages wait: a task says so', async () => {
  const alert = triggered({ rung: '60' });
  await alerts.planAll(alert);
  await alerts.follow(changed(alert, { reminders: 'off' }));
  await alerts.lookAgain();
  expect(await alerts.tasks()).toMatchObject([
    { priority: 'NORMAL', notes: expect.stringContaining('Reminders of this renewal are switched off') },
  ]);
});

test('an alert that cannot be put into words holds up no other, and is tried again', async () => {
  await alerts.planAll(triggered({ rung: '14' }), triggered({ rung: '7' }));
  for (const { send_id: communication_id } of await alerts.sends())
    await alerts.hear(await news('MESSAGING_APP', 'SENT', { communication_id }));
  const words = desk.db('templates').where({ rung: '14', channel: 'EMAIL' });
  await words.clone().update({ locale: desk.db.raw("'x-' || locale") });
  passHours(72);
  await alerts.lookAgain();
  expect((await alerts.sends()).map(({ rung, type }) => `${rung} ${type}`).slice(2)).toEqual(['7 EMAIL']);
  await words.clone().update({ locale: desk.db.raw('substr(locale, 3)') });
  passHours(1);
  await alerts.lookAgain();
  expect((await alerts.sends()).map(({ rung, type }) => `${rung} ${type}`).slice(3)).toEqual(['14 EMAIL']);
});

test('looked at again seconds later when the database went away while it was brought to its end', async () => {
  await alerts.planAll(triggered({ rung: '14' }));
  await hear('MESSAGING_APP', 'SENT');
  passHours(72);
  await alertsAt(cutOff(desk)).lookAgain();
  expect(await written()).toEqual(['MESSAGING_APP']);
  desk.passMs(5_000);
  await alerts.lookAgain();
  expect(await written()).toEqual(['MESSAGING_APP', 'EMAIL']);
});

test('while comms-service is away a silence is not answered, and afterwards it is', async () => {
  await alerts.planAll(triggered({ rung: '14' }));
  await hear('MESSAGING_APP', 'SENT');
  passHours(72);
  const { cards } = desk.deps.comms;
  desk.deps.comms.cards = () => Promise.reject(new InternalCallError('comms-service could not be asked'));
  await expect(alerts.lookAgain()).rejects.toThrow('could not be asked');
  desk.deps.comms.cards = cards;
  await alerts.lookAgain();
  expect(await written()).toEqual(['MESSAGING_APP', 'EMAIL']);
});

test('a hold that ends in between does not make it forget when a silent message is to be given up', async () => {
  desk.customers(cardOf({ opted_out: ['SMS'] }));
  const alert = triggered({ rung: '30' });
  await alerts.planAll(alert);
  await hear('MESSAGING_APP', 'SENT');
  await hear('EMAIL', 'SENT');
  const until = addDays(desk.deps.today(), 1);
  await alerts.follow(changed(alert, { hold: { because: 'acknowledged', until } }));
  await hear('EMAIL', 'FAILED');
  passHours(24);
  await alerts.lookAgain();
  expect(await alerts.tasks()).toEqual([]);
  passHours(48);
  await alerts.lookAgain();
  expect(await alerts.tasks()).toMatchObject([{ priority: 'HIGH', status: 'OPEN' }]);
});

test('what falls due while another is settled is looked at by the next turn', async () => {
  await alerts.planAll(triggered({ rung: '60' }));
  await alerts.hear(await news('MESSAGING_APP', 'UNCERTAIN', { occurred_at: desk.deps.now().toISOString() }));
  desk.passMs(300);
  await alerts.hear(await news('EMAIL', 'UNCERTAIN', { occurred_at: desk.deps.now().toISOString() }));
  desk.passMs(24 * 3_600_000 - 200);
  let looks = 0;
  await lookAtAlerts({ ...desk.deps, now: () => new Date(desk.deps.now().getTime() + 150 * looks++) }, desk.db);
  const left = await desk.db('alert_actions').whereNotNull('look_again_at').select('channel');
  expect(left).toEqual([{ channel: 'EMAIL' }]);
});
