import { connectBus } from '@ops/bus/connect';
import { createOutbox } from '@ops/bus/outbox';
import type { Bus } from '@ops/bus/port';
import type { Envelope } from '@ops/contracts/envelope';
import type { Actor } from '@ops/contracts/roles';
import { type ServiceName, serviceNames } from '@ops/contracts/routes';
import { businessDate } from '@ops/service-kit/business-date';
import { loadConfig } from '@ops/service-kit/config';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createInternalClient } from '@ops/service-kit/internal-client';
import { createLogger } from '@ops/service-kit/logger';
import { createTestDatabase } from '@ops/test-kit/database';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { createClient } from '@ops/test-kit/http-client';
import { createTestSigner, type TestSigner } from '@ops/test-kit/tokens';
import { compose } from '../src/compose.ts';
import { config } from '../src/config.ts';
import { customersOver } from '../src/customers/customer-client.ts';
import type { Deps } from '../src/deps.ts';
import { startTestCustomers, type TestCustomers } from './customers.ts';

export const staff: Actor = { sub: 'agent-1', role: 'staff' };
export const admin: Actor = { sub: 'chief-1', role: 'admin' };
export const automation: Actor = { sub: 'importer', role: 'automation' };
export const scheduler: Actor = { sub: 'cronjob', role: 'scheduler' };

interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** `T` is what the test takes the body for; whether it is that, the client has checked against the OpenAPI document. */
type Call = <T>(actor: Actor, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer<T>>;

interface Calls {
  get: Call;
  post: Call;
  put: Call;
  patch: Call;
}

/** No two readings are of the same moment; the day stays until it is set. */
interface TestClock {
  now(): Date;
  set(at: string): void;
}

export interface TestService extends Calls {
  url: string;
  /** As the service's own role. */
  db: Db;
  databaseUrl: string;
  clock: TestClock;
  /** What the use cases are given, for a test that calls them itself. */
  deps: Deps;
  /** comms-service, as far as it is asked. */
  customers: TestCustomers;
  /** What was written to the outbox since it was last forgotten, in order. */
  events(): Promise<Envelope[]>;
  forgetEvents(): Promise<void>;
  /** The bus as another service has it. */
  bus: Bus;
  /** Every renewal and all that hangs on it, and that there was a refresh. */
  empty(): Promise<void>;
  /** As another service asks; not in the OpenAPI document. */
  asked(by: ServiceName, path: string): Promise<Response>;
  close(): Promise<void>;
}

const name = 'renewals-service';

/** At noon of this day, unless a test says otherwise. */
export const firstDay = '2026-03-02';

/** The whole service in this process, on a database and a Postgres bus of its own, for callers with an internal token. */
export async function startTestService(settings: Record<string, string> = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const customers = await startTestCustomers();
  const signers = Object.fromEntries(callers.map((caller) => [caller, createTestSigner(caller)])) as Signers;
  const databaseUrl = database.urls.renewals;
  const env = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent', ...keys(signers), COMMS_SERVICE_URL: customers.url };
  const read = loadConfig(config, { ...env, ...settings });
  const clock = createClock();
  const running = await compose(read, clock.now);
  const db = openDatabase(databaseUrl, { applicationName: 'test' });
  const bus = await connectTestBus(databaseUrl);
  const url = `http://127.0.0.1:${running.port}`;
  return {
    ...calls(url, signers.gateway),
    url,
    db,
    bus,
    databaseUrl,
    clock,
    customers,
    deps: {
      outbox: createOutbox(name),
      now: clock.now,
      today: () => businessDate(clock.now(), read.OPS_TIME_ZONE),
      customers: customersOver(clientOf(signers, customers.url)),
    },
    events: async () => (await db('outbox').orderBy('id')).map(({ event }) => event),
    forgetEvents: async () => void (await db('outbox').delete()),
    empty: () => empty(db),
    asked: async (by, path) =>
      fetch(url + path, { headers: await signers[by].headers({ sub: by, role: 'automation' }, name) }),
    close: async () => {
      await bus.close();
      await db.destroy();
      await running.stop();
      await customers.close();
      await database.drop();
    },
  };
}

const callers = ['gateway', ...serviceNames] as const;
type Signers = Record<(typeof callers)[number], TestSigner>;

const keys = (signers: Signers) => ({
  INTERNAL_PUBLIC_KEYS: JSON.stringify({
    keys: Object.values(signers).flatMap(({ publicKeys }) => JSON.parse(publicKeys).keys),
  }),
  INTERNAL_PRIVATE_KEY: signers[name].privateKey,
});

const clientOf = (signers: Signers, url: string) => {
  const urls: Partial<Record<ServiceName, string>> = { 'comms-service': url };
  return createInternalClient({ self: name, privateKey: signers[name].privateKey, urls });
};

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
  await emptyTables(db, 'renewals', 'refresh_runs', 'linked_messages', 'alert_outcomes', 'imports', 'outbox');
  await db('refreshed').update({ as_of: null });
}

const connectTestBus = (databaseUrl: string) =>
  connectBus({ databaseUrl, namespace: '', service: 'test', logger: createLogger('test', 'silent') });

function calls(url: string, signer: TestSigner): Calls {
  const caller =
    (method: string): Call =>
    async <T>(actor: Actor, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const client = createClient(url, () => signer.headers(actor, name));
      const answer = await client.request(method, path, { body, headers });
      return { ...answer, body: answer.body as T };
    };
  return { get: caller('GET'), post: caller('POST'), put: caller('PUT'), patch: caller('PATCH') };
}
