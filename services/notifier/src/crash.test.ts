import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { connectBus } from '@ops/bus/connect';
import type { Bus } from '@ops/bus/port';
import type { EventData } from '@ops/contracts/events';
import { type ManagedProcess, manageProcess } from '@ops/embedded/managed-process';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { createTestDatabase, type TestDatabase } from '@ops/test-kit/database';
import { eventually } from '@ops/test-kit/eventually';
import { captureLog } from '@ops/test-kit/logs';
import { queuedEvent, queuedMessage, receiptOf, receivedEvent } from '../test/desk.ts';
import { lockWaits } from '../test/lock-waits.ts';
import { type Behaviour, type Outside, permits, startOutside, takesAll } from '../test/outside.ts';
import { testSettings } from '../test/settings.ts';

let database: TestDatabase;
let comms: Outside;
let twilio: Outside;
let notifier: ManagedProcess;
let bus: Bus;
let db: Db;

/** The lease, and so the time until a broken-off send is found, is eight times this. */
const timeoutSeconds = '0.5';

beforeEach(async () => {
  database = await createTestDatabase();
  comms = await startOutside(permits);
  twilio = await startOutside(takesAll());
  const env = { ...process.env, ...testSettings(database, comms, twilio), SENDING_TIMEOUT_SECONDS: timeoutSeconds };
  const entry = fileURLToPath(new URL('./main.ts', import.meta.url));
  notifier = manageProcess({ name: 'notifier', entry, env }, captureLog('notifier-crash'), () => undefined);
  await notifier.start();
  db = openDatabase(database.urls.notifier, { applicationName: 'test' });
  const logger = createLogger('comms-service', 'silent');
  bus = await connectBus({ databaseUrl: database.urls.comms, namespace: '', service: 'comms-service', logger });
});
afterEach(async () => {
  await notifier.stop();
  await bus.close();
  await db.destroy();
  await Promise.all([comms.close(), twilio.close()]);
  await database.drop();
});

type Queued = EventData<'communication.queued'>;

const publish = (...messages: Queued[]) => bus.publish(messages.map((one) => ({ event: queuedEvent(one) })));
const told = async (): Promise<EventData<'delivery.updated'>[]> =>
  (await db('outbox').orderBy('id')).map(({ event }) => event.data);
const statuses = async () => (await told()).map(({ status }) => status);

/** Kills the process at its first request, which nobody answers, and lets every later one through. */
function killedOnce(server: Outside, then: Behaviour): Promise<void> {
  const killed = Promise.withResolvers<void>();
  server.behave(async () => {
    server.behave(then);
    await notifier.kill();
    killed.resolve();
  });
  return killed.promise;
}

test('killed between the provider’s yes and its own commit: uncertain, and never sent again', async () => {
  const lock = await db.transaction();
  const killed = Promise.withResolvers<void>();
  const take = takesAll();
  twilio.behave(async (taken, res) => {
    // Whoever wants to record the outcome waits for this; the answer itself gets through.
    await lock.raw('select from deliveries for update');
    res.on('close', async () => {
      await eventually(async () => expect(await lockWaits(db)).toBe(1));
      await notifier.kill();
      killed.resolve();
    });
    await take(taken, res);
  });
  const message = queuedMessage();
  await publish(message);
  await killed.promise;
  await lock.rollback();
  await notifier.start();
  await eventually(async () => expect(await told()).toMatchObject([{ status: 'UNCERTAIN' }]));
  expect((await told())[0]?.failure?.code).toBe('interrupted');
  const attempt_id = (await told())[0]?.attempt_id ?? null;
  await bus.publish([{ event: receivedEvent(receiptOf({ attempt_id, external_id: 'SM1', status: 'DELIVERED' })) }]);
  await eventually(async () => expect(await statuses()).toEqual(['UNCERTAIN', 'DELIVERED']));
  expect(twilio.journal).toHaveLength(1);
});

test('killed while the provider works on it: uncertain, and never sent again', async () => {
  const killed = killedOnce(twilio, takesAll());
  const [first, second] = [queuedMessage(), queuedMessage()];
  await publish(first, second);
  await killed;
  await notifier.start();
  await eventually(async () => expect((await statuses()).toSorted()).toEqual(['SENT', 'UNCERTAIN']));
  expect(await told()).toMatchObject([{ communication_id: first.communication_id, status: 'UNCERTAIN' }, {}]);
  expect(twilio.journal).toHaveLength(2);
});

test('killed before anything left: sent once, by the next process', async () => {
  const killed = killedOnce(comms, permits);
  await publish(queuedMessage());
  await killed;
  await notifier.start();
  await eventually(async () => expect(await statuses()).toEqual(['SENT']));
  expect(twilio.journal).toHaveLength(1);
});

test('killed again and again: every message is sent or uncertain, and nobody gets one twice', async () => {
  const messages = Array.from({ length: 60 }, (_, n) => queuedMessage({ customer_id: `C-${n % 15}` }));
  const take = takesAll();
  const killAt = new Set([8, 25, 42]);
  let restarted: Promise<unknown> = Promise.resolve();
  twilio.behave(async (taken, res) => {
    if (killAt.delete(twilio.journal.length))
      restarted = restarted.then(() => notifier.kill()).then(() => notifier.start());
    await take(taken, res);
  });
  await publish(...messages);
  await eventually(async () => expect(await told()).toHaveLength(messages.length), { timeoutMs: 100_000 });
  await restarted;
  const last = new Map((await told()).map((one) => [one.communication_id, one.status]));
  const bodies = twilio.journal.map(({ body }) => new URLSearchParams(body).get('Body'));
  expect(new Set(bodies).size).toBe(bodies.length);
  for (const { communication_id, body } of messages) {
    expect(['SENT', 'UNCERTAIN']).toContain(last.get(communication_id));
    if (last.get(communication_id) === 'SENT') expect(bodies).toContain(body);
  }
  expect(await db('deliveries').where({ status: 'QUEUED' })).toEqual([]);
}, 120_000);
