import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { type Alerts, alertsAt, cardOf, carriers, changed, completed, triggered } from '../../test/alerts.ts';
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

const told = async () =>
  (await alerts.outcomes()).map(
    ({ channel, outcome, reason }) => `${channel} ${outcome}${reason ? ` ${reason.code}` : ''}`,
  );

test('an alert becomes a message by each channel of its rung, in its words, linked to the renewal, and is told', async () => {
  const alert = triggered({ rung: '60', due_date: '2026-04-30', days_until_due: 60 });
  await alerts.planAll(alert);
  const sends = await alerts.sends();
  expect(sends).toMatchObject([
    {
      type: 'MESSAGING_APP',
      customer_id: 'C-1',
      renewal_id: alert.renewal_id,
      rung: '60',
      send_after: null,
      subject: null,
      body: expect.stringMatching(/^Hello Ada Demo\. .*Residence permit.*April 30, 2026.*60/),
    },
    { type: 'EMAIL', subject: 'Residence permit: let us begin', body: expect.stringMatching(/^Dear Ada Demo,\n/) },
  ]);
  expect(await alerts.outcomes()).toMatchObject(
    sends.map(({ type, send_id }) => ({
      channel: type,
      outcome: 'planned',
      communication_id: send_id,
      renewal_id: alert.renewal_id,
      rung: '60',
      due_date: '2026-04-30',
      instead_of: null,
      reason: null,
      task_id: null,
      send_after: null,
    })),
  );
  expect(await alerts.tasks()).toEqual([]);
});

test.each([
  ['90', [], null],
  ['60', [], null],
  ['30', [], null],
  ['14', ['TASK'], 'HIGH'],
  ['7', ['TASK'], 'URGENT'],
  ['OVERDUE', ['TASK'], 'URGENT'],
] as const)('the plan as it stands: rung %s', async (rung, task, priority) => {
  await alerts.planAll(triggered({ rung }));
  const messages = ['14', '7'].includes(rung) ? ['MESSAGING_APP'] : ['MESSAGING_APP', 'EMAIL'];
  expect(await told()).toEqual([...messages, ...task].map((channel) => `${channel} planned`));
  expect((await alerts.tasks()).map((one) => one.priority)).toEqual(priority ? [priority] : []);
});

test.each([
  ['90', []],
  ['30', []],
  ['14', ['HIGH']],
  ['OVERDUE', ['URGENT']],
] as const)(
  'a silent one of rung %s writes to nobody, by no other channel either, and its task says so',
  async (rung, priorities) => {
    desk.customers(cardOf({ emails: [] }));
    await alerts.planAll(triggered({ rung, silent: true }));
    const messages = ['14', '7'].includes(rung) ? ['MESSAGING_APP'] : ['MESSAGING_APP', 'EMAIL'];
    expect((await told()).sort()).toEqual(
      [
        ...messages.map((channel) => `${channel} not_sent silent`),
        ...priorities.map(() => 'TASK planned silent'),
      ].sort(),
    );
    expect(await alerts.sends()).toEqual([]);
    expect(await alerts.tasks()).toMatchObject(
      priorities.map((priority) => ({ priority, notes: expect.stringContaining('The customer is not written to') })),
    );
  },
);

test('customers are asked for once, whatever the size of the batch', async () => {
  const asked: (readonly string[])[] = [];
  const { comms } = desk.deps;
  const cards: typeof comms.cards = (ids) => {
    asked.push(ids);
    return comms.cards(ids);
  };
  const counting = alertsAt({ ...desk, deps: { ...desk.deps, comms: { ...comms, cards } } });
  desk.customers(cardOf(), cardOf({ id: 'C-2' }));
  await counting.plan('email', triggered(), triggered(), triggered({ customer_id: 'C-2' }));
  expect(asked).toEqual([['C-1', 'C-2']]);
  expect(await alerts.sends()).toHaveLength(3);
});

test('delivered again, under the same or another id, it plans nothing more', async () => {
  const alert = triggered({ rung: 'OVERDUE' });
  for (const carrier of carriers) await alerts.plan(carrier, alert, alert);
  await alerts.planAll(alert);
  expect(await alerts.sends()).toHaveLength(2);
  expect(await alerts.outcomes()).toHaveLength(3);
  expect(await alerts.tasks()).toHaveLength(1);
});

test('what the first queue decided holds for the others, whatever the customer changed meanwhile', async () => {
  const alert = triggered({ rung: '90' });
  desk.customers(cardOf({ opted_out: ['MESSAGING_APP'] }));
  await alerts.plan('task', alert);
  desk.customers(cardOf({ emails: [] }));
  await alerts.plan('email', alert);
  await alerts.plan('messaging', alert);
  expect(await told()).toEqual(['EMAIL planned', 'MESSAGING_APP not_sent opted_out', 'SMS planned']);
});

test('nobody can be written to: a task says why, at the urgency of its rung', async () => {
  const alert = triggered({ rung: '90', reminders: 'off' });
  await alerts.planAll(alert);
  expect(await told()).toEqual([
    'MESSAGING_APP not_sent reminders_off',
    'TASK planned nobody_written_to',
    'EMAIL not_sent reminders_off',
  ]);
  expect(await alerts.sends()).toEqual([]);
  expect(await alerts.tasks()).toMatchObject([
    { priority: 'NORMAL', rung: '90', status: 'OPEN', notes: expect.stringContaining('switched off') },
  ]);
});

test('a customer nobody has described leads to a task under the id that came', async () => {
  desk.customers();
  await alerts.planAll(triggered({ customer_id: 'C-new', rung: '30' }));
  expect(await alerts.tasks()).toMatchObject([
    {
      customer_id: 'C-new',
      title: 'Residence permit of C-new',
      notes: expect.stringContaining('described'),
    },
  ]);
});

test.each([
  ['de-CH', /^Guten Tag Ada Demo.*Ausländerausweis.*31\. März 2026/],
  ['de-AT', /^Guten Tag Ada Demo.*Aufenthaltstitel.*31\. März 2026/],
  ['fr', /^Hello Ada Demo.*Residence permit.*March 31, 2026/],
])('a customer of %s reads the nearest language there is, the name of the service too', async (locale, words) => {
  desk.customers(cardOf({ locale }));
  const service_labels = { de: 'Aufenthaltstitel', 'de-CH': 'Ausländerausweis' };
  await alerts.plan('messaging', triggered({ service_labels }));
  expect((await alerts.sends())[0]?.body).toMatch(words);
});

test('the channel a customer prefers takes the place of the first of the plan', async () => {
  desk.customers(cardOf({ preferred_channel: 'SMS' }), cardOf({ id: 'C-2', preferred_channel: 'EMAIL' }));
  await alerts.planAll(triggered({ rung: '60' }), triggered({ rung: '60', customer_id: 'C-2' }));
  const sends = (await alerts.sends()).map(({ customer_id, type }) => `${customer_id} ${type}`);
  expect(sends.toSorted()).toEqual(['C-1 EMAIL', 'C-1 SMS', 'C-2 EMAIL']);
});

test('in the quiet hours of the customer it is planned for their end, and told so', async () => {
  desk.customers(cardOf({ time_zone: 'America/Los_Angeles' }));
  await alerts.planAll(triggered({ rung: '7' }));
  const until = '2026-03-01T16:00:00.000Z';
  expect(await alerts.sends()).toMatchObject([{ send_after: until }]);
  expect(await alerts.outcomes()).toMatchObject([
    { channel: 'MESSAGING_APP', send_after: until },
    { send_after: null },
  ]);
});

test('of a renewal that was closed before its alert arrived nobody is written to, its task is closed, and that is told', async () => {
  const alert = triggered({ rung: 'OVERDUE' });
  await alerts.follow(completed(alert));
  await alerts.planAll(alert);
  expect(await alerts.sends()).toEqual([]);
  expect(await alerts.tasks()).toMatchObject([{ status: 'DONE', closed_because: 'renewal_completed' }]);
  expect(await told()).toEqual(
    ['MESSAGING_APP', 'EMAIL', 'TASK'].map((channel) => `${channel} cancelled renewal_completed`),
  );
  expect((await alerts.outcomes()).map(({ communication_id }) => communication_id)).toEqual([null, null, null]);
});

test('so is one that is due on another day by now; an older word of it changes nothing', async () => {
  const alert = triggered({ version: 5 });
  await alerts.follow(changed(alert, { due_date: '2027-03-31', version: 6 }), changed(alert, { version: 4 }));
  await alerts.plan('email', alert);
  expect(await told()).toEqual(['EMAIL cancelled due_date_changed']);
});

test('an alert that is newer than the last word of its renewal counts', async () => {
  const alert = triggered({ version: 5 });
  await alerts.follow(completed(alert, { version: 3 }));
  await alerts.plan('email', alert);
  expect(await told()).toEqual(['EMAIL planned']);
  await alerts.follow(completed(alert, { version: 4 }));
  expect(await told()).toEqual(['EMAIL planned']);
});

test('what the renewal says now decides whether and for whom', async () => {
  const alert = triggered({ rung: '14', assigned_agent: 'agent-1' });
  await alerts.follow(changed(alert, { reminders: 'off', assigned_agent: 'agent-2' }));
  await alerts.planAll(alert);
  expect(await told()).toEqual(['MESSAGING_APP not_sent reminders_off', 'TASK planned nobody_written_to']);
  expect(await alerts.tasks()).toMatchObject([{ assigned_agent: 'agent-2', priority: 'HIGH' }]);
});

test('an alert that cannot be put into words fails its own queue, and no other', async () => {
  const alert = triggered({ rung: '30' });
  await desk
    .db('templates')
    .where({ rung: '30', channel: 'EMAIL' })
    .update({ rung: '90', locale: desk.db.raw("'x-' || locale") });
  await expect(alerts.plan('email', alert)).rejects.toThrow('no template');
  await alerts.plan('messaging', alert);
  expect(await told()).toEqual(['MESSAGING_APP planned']);
  await desk
    .db('templates')
    .where('locale', 'like', 'x-%')
    .update({ rung: '30', locale: desk.db.raw('substr(locale, 3)') });
  await alerts.plan('email', alert);
  expect(await told()).toEqual(['MESSAGING_APP planned', 'EMAIL planned']);
});

test('all queues at once decide once', async () => {
  const batch = Array.from({ length: 10 }, () => triggered({ rung: 'OVERDUE', renewal_id: uuidv7() }));
  await Promise.all([...carriers, ...carriers].map((carrier) => alerts.plan(carrier, ...batch)));
  expect(await alerts.sends()).toHaveLength(20);
  expect(await alerts.tasks()).toHaveLength(10);
});

test('what alerts would do is foreseen as it is done, for each customer as they stand', async () => {
  const customers = [
    cardOf(),
    cardOf({ id: 'C-2', opted_out: ['MESSAGING_APP'] }),
    cardOf({ id: 'C-3', phones: [], emails: [] }),
  ];
  desk.customers(...customers);
  const of = (customer_id: string, reminders: 'on' | 'off' = 'on') => ({
    customer_id,
    reminders,
    alerts: [
      { rung: '30' as const, step: '0', does: null, silent: true },
      {
        rung: '60' as const,
        step: '1',
        does: { channels: ['SMS' as const, 'EMAIL' as const], task: null },
        silent: false,
      },
      { rung: '60' as const, step: '2', does: { channels: [], task: 'NORMAL' as const }, silent: false },
      { rung: '14' as const, step: '0', does: null, silent: false },
      { rung: '14' as const, step: 'after_hold', does: null, silent: false },
      { rung: 'OVERDUE' as const, step: '0', does: null, silent: true },
    ],
  });
  const asked = [of('C-1'), of('C-2'), of('C-3'), of('C-1', 'off'), of('C-9')];
  const foreseen = await alerts.foresee(...asked);
  for (const [n, { alerts: rungs, ...about }] of asked.entries())
    for (const [m, { rung, step, does, silent }] of rungs.entries()) {
      await emptyTables(desk.db, 'alert_actions', 'tasks', 'outbox');
      await alerts.planAgain({ ...triggered({ ...about, rung, silent }), step, does });
      const done = { messages: (await alerts.sends()).length, task: (await alerts.tasks()).length > 0 };
      expect(foreseen[n]?.[m]).toEqual({ ...done, leaves: null });
    }
  expect(foreseen[1]?.map(({ messages, task }) => [messages, task])).toEqual([
    [0, false],
    [1, false],
    [0, true],
    [1, true],
    [1, false],
    [0, true],
  ]);
});
