import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectBus } from '@ops/bus/connect';
import type { Bus } from '@ops/bus/port';
import { loadConfig } from '@ops/service-kit/config';
import { type Db, openDatabase } from '@ops/service-kit/database';
import type { Running } from '@ops/service-kit/lifecycle';
import { createLogger } from '@ops/service-kit/logger';
import { eventually } from '@ops/test-kit/eventually';
import { cardOf, changedEvent, completed, triggered, triggeredEvent } from '../test/alerts.ts';
import { createTestDatabase, type TestDatabase } from '../test/database.ts';
import { allowed, queuedEvent, queuedMessage, receiptOf, receivedEvent } from '../test/desk.ts';
import { answer, type Outside, permits, startOutside, takesAll } from '../test/outside.ts';
import { testSettings } from '../test/settings.ts';
import { compose } from './compose.ts';
import { config } from './config.ts';

let database: TestDatabase;
let comms: Outside;
let twilio: Outside;
let running: Running;
let bus: Bus;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  comms = await startOutside(permits);
  twilio = await startOutside(takesAll());
  const settings = { ...testSettings(database, comms, twilio), LOG_LEVEL: 'silent' };
  running = await compose(loadConfig(config, settings));
  db = openDatabase(database.urls.notifier, { applicationName: 'test' });
  const logger = createLogger('comms-service', 'silent');
  bus = await connectBus({ databaseUrl: database.adminUrl, namespace: '', service: 'comms-service', logger });
});
afterAll(async () => {
  await bus.close();
  await db.destroy();
  await running.stop();
  await Promise.all([comms.close(), twilio.close()]);
  await database.drop();
});

const told = async (communicationId: string) =>
  (await db('outbox').orderBy('id'))
    .map(({ event }) => event.data)
    .filter(({ communication_id }) => communication_id === communicationId);

test('from the bus to the provider and back: queued, asked for, sent, delivered', async () => {
  const message = queuedMessage();
  await bus.publish([{ event: queuedEvent(message) }, { event: queuedEvent(message) }]);
  await eventually(async () => expect(await told(message.communication_id)).toMatchObject([{ status: 'SENT' }]));
  const [sent] = await told(message.communication_id);
  expect(comms.journal.map(({ path }) => path)).toEqual([
    `/internal/communications/${message.communication_id}/send-permission?attempt=1`,
  ]);
  expect(twilio.journal.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toEqual([
    {
      To: '+447700900123',
      From: '+447700900001',
      Body: message.body,
      StatusCallback: `https://ops.example.com/webhooks/sms?attempt=${sent.attempt_id}`,
    },
  ]);
  const receipt = receiptOf({ attempt_id: sent.attempt_id, external_id: sent.provider_message_id });
  await bus.publish([{ event: receivedEvent(receipt) }, { event: receivedEvent(receipt) }]);
  await eventually(async () => expect(await told(message.communication_id)).toHaveLength(2));
  expect((await told(message.communication_id))[1]).toMatchObject({ status: 'DELIVERED', attempt_id: sent.attempt_id });
});

test('an alert on the bus becomes a task and messages, each once, and is stopped by what follows', async () => {
  const card = cardOf({ id: 'C-3', phones: [], emails: ['eve@example.com'], time_zone: 'UTC' });
  comms.behave(answer(200, { data: [card] }));
  const alert = triggered({ customer_id: 'C-3', rung: 'OVERDUE', assigned_agent: 'agent-1' });
  const event = triggeredEvent(alert);
  await bus.publish([{ event }, { event }]);
  const outcomes = async () =>
    (await db('outbox').where({ type: 'alert.planned' }))
      .map(({ event: { data } }) => `${data.channel} ${data.outcome}`)
      .toSorted();
  const planned = ['EMAIL planned', 'MESSAGING_APP not_sent', 'SMS not_sent', 'TASK planned'];
  await eventually(async () => expect(await outcomes()).toEqual(planned));
  expect(await db('outbox').where({ type: 'communication.send' })).toHaveLength(1);
  await bus.publish([{ event: changedEvent(completed(alert)) }]);
  await eventually(async () => expect(await outcomes()).toEqual(['EMAIL cancelled', ...planned]));
  expect(await db('tasks').select('status', 'assigned_agent', 'closed_because')).toEqual([
    { status: 'DONE', assigned_agent: 'agent-1', closed_because: 'renewal_completed' },
  ]);
  comms.behave(permits);
});

test('a message of an alert is refused when it is to leave, and no other reaches the customer: its task says so', async () => {
  const card = cardOf({ id: 'C-4', emails: [], opted_out: ['MESSAGING_APP'] });
  const no = { ...allowed, may_send: false, reason: { code: 'opted_out', message: 'No' } };
  const alert = triggered({ customer_id: 'C-4', rung: '14' });
  const { customer_id, due_date, assigned_agent, reminders, version } = alert;
  const standing = { customer_id, due_date, status: 'UPCOMING', assigned_agent, reminders, version };
  await listenAsComms();
  comms.behave(answer(200, { ...no, ...standing, data: [card] }));
  await bus.publish([{ event: triggeredEvent(alert) }]);
  const sms = () => db('alert_actions').where({ customer_id: 'C-4', channel: 'SMS', carried_out: true });
  await eventually(async () => expect(await sms()).toMatchObject([{ outcome: 'planned' }]));
  const [{ id: communication_id }] = await sms();
  await bus.publish([{ event: queuedEvent(queuedMessage({ communication_id, customer_id: 'C-4', automated: true })) }]);
  const told = () => db('tasks').where({ customer_id: 'C-4' }).select('priority', 'notes');
  const notes = expect.stringContaining('No message reached the customer');
  await eventually(async () => expect(await told()).toEqual([{ priority: 'HIGH', notes }]));
  expect(await sms()).toMatchObject([{ outcome: 'not_sent', reason: { code: 'opted_out' } }]);
  comms.behave(permits);
});

/** What becomes of sends waits for this queue too. */
const listenAsComms = () =>
  bus.consume(
    {
      name: 'comms-service:delivery:status',
      bindings: ['delivery.updated'],
      batch: 10,
      prefetch: 10,
      retry: { delaysMs: [1_000], maxAttempts: 1 },
    },
    async (messages) => messages.map(() => ({ done: true })),
  );

test('what is no message to send is set aside and stops nothing', async () => {
  const note = { ...queuedMessage(), type: 'INTERNAL_NOTE' } as unknown as ReturnType<typeof queuedMessage>;
  const message = queuedMessage({ customer_id: 'C-2' });
  await bus.publish([{ event: queuedEvent(note) }, { event: queuedEvent(message) }]);
  await eventually(async () => expect(await told(message.communication_id)).toMatchObject([{ status: 'SENT' }]));
  expect(await db('sends').where({ communication_id: note.communication_id })).toEqual([]);
  expect(twilio.journal.some(({ body }) => body.includes(note.body))).toBe(false);
});
