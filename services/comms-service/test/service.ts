import { connectBus } from '@ops/bus/connect';
import type { Bus } from '@ops/bus/port';
import type { Envelope } from '@ops/contracts/envelope';
import type { Actor } from '@ops/contracts/roles';
import { type ServiceName, serviceNames } from '@ops/contracts/routes';
import { loadConfig } from '@ops/service-kit/config';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { createTestDatabase } from '@ops/test-kit/database';
import { createClient } from '@ops/test-kit/http-client';
import { createTestSigner, type TestSigner } from '@ops/test-kit/tokens';
import { compose } from '../src/compose.ts';
import { config } from '../src/config.ts';

export const staff: Actor = { sub: 'agent-1', role: 'staff' };
export const admin: Actor = { sub: 'chief-1', role: 'admin' };
export const automation: Actor = { sub: 'importer', role: 'automation' };
export const customer = (id: string): Actor => ({ sub: id, role: 'customer' });

interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** `T` is what the test takes the body for; whether it is that, the client has checked against the OpenAPI document. */
type Call = <T>(actor: Actor, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer<T>>;

interface Calls {
  get: Call;
  post: Call;
  put: Call;
  patch: Call;
}

export interface TestService extends Calls {
  /** As the service's own role. */
  db: Db;
  databaseUrl: string;
  /** What was written to the outbox since it was last forgotten, in order. */
  events(): Promise<Envelope[]>;
  forgetEvents(): Promise<void>;
  /** The bus as another service has it. */
  bus: Bus;
  /** As another service asks; not in the OpenAPI document. */
  asked(by: ServiceName, path: string): Promise<Response>;
  close(): Promise<void>;
}

const name = 'comms-service';

/** The whole service in this process, on a database and a Postgres bus of its own, for callers with an internal token. */
export async function startTestService(settings: Record<string, string> = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const signers = Object.fromEntries(callers.map((caller) => [caller, createTestSigner(caller)])) as Signers;
  const env = { DATABASE_URL: database.urls.comms, LOG_LEVEL: 'silent', ...keys(signers), ...nowhere };
  const running = await compose(loadConfig(config, { ...env, ...settings }));
  const db = openDatabase(database.urls.comms, { applicationName: 'test' });
  const bus = await connectTestBus(database.urls.comms);
  const url = `http://127.0.0.1:${running.port}`;
  return {
    ...calls(url, signers.gateway),
    db,
    bus,
    asked: async (by, path) =>
      fetch(url + path, { headers: await signers[by].headers({ sub: by, role: 'automation' }, name) }),
    databaseUrl: database.urls.comms,
    events: async () => (await db('outbox').orderBy('id')).map(({ event }) => event),
    forgetEvents: async () => void (await db('outbox').delete()),
    close: async () => {
      await bus.close();
      await db.destroy();
      await running.stop();
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

/** A test that has something answer there says so in its settings. */
const nowhere = Object.fromEntries(
  ['COMMS_SERVICE_URL', 'RENEWALS_SERVICE_URL', 'WEBHOOK_INGEST_URL', 'NOTIFIER_URL'].map((setting) => [
    setting,
    'http://127.0.0.1:9',
  ]),
);

const connectTestBus = (databaseUrl: string) =>
  connectBus({ databaseUrl, namespace: '', service: 'test', logger: createLogger('test', 'silent') });

function calls(url: string, signer: TestSigner): Calls {
  const caller =
    (method: string): Call =>
    async <T>(actor: Actor, path: string, body?: object, headers: Record<string, string> = {}) => {
      const client = createClient(url, () => signer.headers(actor, name));
      const answer = await client.request(method, path, { body, headers });
      return { ...answer, body: answer.body as T };
    };
  return { get: caller('GET'), post: caller('POST'), put: caller('PUT'), patch: caller('PATCH') };
}
