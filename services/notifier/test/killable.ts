import { fileURLToPath } from 'node:url';
import { connectBus } from '@ops/bus/connect';
import type { EventData } from '@ops/contracts/events';
import { manageProcess } from '@ops/machine/managed-process';
import { openDatabase } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { captureLog } from '@ops/test-kit/logs';
import { createTestDatabase } from './database.ts';
import { queuedEvent } from './desk.ts';
import { permits, startOutside, takesAll } from './outside.ts';
import { testSettings } from './settings.ts';

/** The lease, and so the time until a broken-off send is found, is eight times this; on a busy machine an answer takes a while. */
const timeoutSeconds = '2';

/** notifier as a process that may be killed, with comms-service and Twilio as far as it asks them. */
export async function startKillable() {
  const database = await createTestDatabase();
  const comms = await startOutside(permits);
  const twilio = await startOutside(takesAll());
  const env = { ...process.env, ...testSettings(database, comms, twilio), SENDING_TIMEOUT_SECONDS: timeoutSeconds };
  const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const notifier = manageProcess({ name: 'notifier', entry, env }, captureLog('notifier-crash'), () => undefined);
  await notifier.start();
  const db = openDatabase(database.urls.notifier, { applicationName: 'test' });
  const logger = createLogger('comms-service', 'silent');
  const bus = await connectBus({ databaseUrl: database.adminUrl, namespace: '', service: 'comms-service', logger });
  const told = async (): Promise<EventData<'delivery.updated'>[]> =>
    (await db('outbox').orderBy('id')).map(({ event }) => event.data);
  return {
    comms,
    twilio,
    notifier,
    db,
    bus,
    publish: (...messages: EventData<'communication.queued'>[]) =>
      bus.publish(messages.map((one) => ({ event: queuedEvent(one) }))),
    told,
    statuses: async () => (await told()).map(({ status }) => status),
    async close() {
      await notifier.stop();
      await bus.close();
      await db.destroy();
      await Promise.all([comms.close(), twilio.close()]);
      await database.drop();
    },
  };
}
