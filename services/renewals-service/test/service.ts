import { createOutbox } from '@ops/bus/outbox';
import { localDate } from '@ops/contracts/local-time';
import type { Actor } from '@ops/contracts/roles';
import { agentsOver } from '@ops/following/agent-client';
import { customersOver } from '@ops/following/customer-client';
import { loadConfig } from '@ops/service-kit/config';
import type { Db } from '@ops/service-kit/database';
import { createInternalClient } from '@ops/service-kit/internal-client';
import {
  createTestSigners,
  keysOf,
  reachService,
  type ServiceUnderTest,
} from '@ops/service-kit/test/service-under-test';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { compose } from '../src/compose.ts';
import { config } from '../src/config.ts';
import type { Deps } from '../src/deps.ts';
import { startTestCustomers, type TestCustomers } from './customers.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startTestNotifier, type TestNotifier, tellOfAgents } from './notifier.ts';

export { admin, automation, staff } from '@ops/service-kit/test/service-under-test';
export const scheduler: Actor = { sub: 'cronjob', role: 'scheduler' };

/** No two readings are of the same moment; the day stays until it is set. */
interface TestClock {
  now(): Date;
  set(at: string): void;
}

export interface TestService extends ServiceUnderTest {
  clock: TestClock;
  /** What the use cases are given, for a test that calls them itself. */
  deps: Deps;
  /** comms-service, as far as it is asked. */
  customers: TestCustomers;
  /** notifier, as far as it is asked. */
  notifier: TestNotifier;
  /** Every renewal and all that hangs on it, and that there was a refresh. */
  empty(): Promise<void>;
}

const name = 'renewals-service';

/** At noon of this day, unless a test says otherwise. */
export const firstDay = '2026-03-02';

/** The whole service in this process, on a database and a Postgres bus of its own, for callers with an internal token. */
export async function startTestService(
  settings: Record<string, string> = {},
  given: Promise<TestDatabase> = createTestDatabase(),
): Promise<TestService> {
  const database = await given;
  const [customers, notifier] = [await startTestCustomers(), await startTestNotifier()];
  const signers = createTestSigners();
  const keys = keysOf(signers, name);
  const env = {
    DATABASE_URL: database.urls.renewals,
    LOG_LEVEL: 'silent',
    ...keys,
    COMMS_SERVICE_URL: customers.url,
    NOTIFIER_URL: notifier.url,
  };
  const read = loadConfig(config, { ...env, ...settings });
  const clock = createClock();
  const running = await compose(read, clock.now);
  const service = await reachService(name, running.port, database, signers);
  const urls = { 'comms-service': customers.url, notifier: notifier.url };
  const others = createInternalClient({ self: name, privateKey: signers[name].privateKey, urls });
  await tellOfAgents(service.db, 'agent-1', 'agent-2', 'agent-3');
  return {
    ...service,
    clock,
    customers,
    notifier,
    deps: {
      outbox: createOutbox(name),
      now: clock.now,
      today: () => localDate(clock.now(), read.OPS_TIME_ZONE),
      dateAt: (moment) => localDate(moment, read.OPS_TIME_ZONE),
      customers: customersOver(others),
      agents: agentsOver(others),
    },
    empty: () => empty(service.db),
    close: async () => {
      await service.close();
      await running.stop();
      await Promise.all([customers.close(), notifier.close()]);
      await database.drop();
    },
  };
}

function createClock(): TestClock {
  let current = new Date(`${firstDay}T12:00:00Z`);
  return {
    now() {
      current = new Date(current.getTime() + 1);
      return current;
    },
    set(at) {
      current = new Date(at);
    },
  };
}

async function empty(db: Db): Promise<void> {
  await emptyTables(
    db,
    'renewals',
    'upstream_endings',
    'refresh_runs',
    'linked_messages',
    'alert_outcomes',
    'imports',
    'outbox',
    'followed_customers',
    'followed_tasks',
  );
  await db('refreshed').update({ as_of: null });
}
