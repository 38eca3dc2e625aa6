import { connectBus } from '@ops/bus/connect';
import type { Bus } from '@ops/bus/port';
import type { Envelope } from '@ops/contracts/envelope';
import type { Actor } from '@ops/contracts/roles';
import { type ServiceName, serviceNames } from '@ops/contracts/routes';
import { createClient } from '@ops/contracts/test/http-client';
import { type Db, openDatabase } from '../src/database/database.ts';
import { schemaOf } from '../src/database/provision.ts';
import { createLogger } from '../src/observing/logger.ts';
import type { TestDatabase } from './database.ts';
import { createTestSigner, type TestSigner } from './tokens.ts';

export const staff: Actor = { sub: 'agent-1', role: 'staff' };
export const admin: Actor = { sub: 'chief-1', role: 'admin' };
export const automation: Actor = { sub: 'importer', role: 'automation' };

const callers = ['gateway', ...serviceNames] as const;

interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** `T` is what the test takes the body for; whether it is that, the client has checked against the OpenAPI document. */
type Call = <T>(actor: Actor, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer<T>>;

/** One service as those around it have it: callers with an internal token, its database, the bus. */
export interface ServiceUnderTest {
  get: Call;
  post: Call;
  put: Call;
  patch: Call;
  /** As a person asks for what is no JSON, with POST; unread. */
  download(actor: Actor, path: string): Promise<Response>;
  url: string;
  /** As the service's own role. */
  db: Db;
  databaseUrl: string;
  /** What was written to the outbox since it was last forgotten, in order, but for what keeps an import going. */
  events(): Promise<Envelope[]>;
  forgetEvents(): Promise<void>;
  /** The bus as another service has it. */
  bus: Bus;
  /** As another process asks, with POST where there is something to say; not in the OpenAPI document. */
  asked(by: (typeof callers)[number], path: string, body?: object): Promise<Response>;
  close(): Promise<void>;
}

type Signers = Record<(typeof callers)[number], TestSigner>;

/** Whoever may call a service, and the service itself among them. */
export const createTestSigners = (): Signers =>
  Object.fromEntries(callers.map((caller) => [caller, createTestSigner(caller)])) as Signers;

export const keysOf = (signers: Signers, name: ServiceName) => ({
  INTERNAL_PUBLIC_KEYS: JSON.stringify({
    keys: Object.values(signers).flatMap(({ publicKeys }) => JSON.parse(publicKeys).keys),
  }),
  INTERNAL_PRIVATE_KEY: signers[name].privateKey,
});

export async function reachService(
  name: ServiceName,
  port: number | string,
  { urls, adminUrl }: Pick<TestDatabase, 'urls' | 'adminUrl'>,
  signers: Signers,
): Promise<ServiceUnderTest> {
  const url = `http://127.0.0.1:${port}`;
  const databaseUrl = urls[schemaOf[name]];
  const db = openDatabase(databaseUrl, { applicationName: 'test' });
  const logger = createLogger('test', 'silent');
  // Plays every other service.
  const bus = await connectBus({ databaseUrl: adminUrl, namespace: '', service: 'test', logger });
  const caller =
    (method: string): Call =>
    async <T>(actor: Actor, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const client = createClient(url, () => signers.gateway.headers(actor, name));
      const answer = await client.request(method, path, { body, headers });
      return { ...answer, body: answer.body as T };
    };
  return {
    get: caller('GET'),
    post: caller('POST'),
    put: caller('PUT'),
    patch: caller('PATCH'),
    download: async (actor, path) =>
      fetch(url + path, { method: 'POST', headers: await signers.gateway.headers(actor, name) }),
    url,
    db,
    databaseUrl,
    events: async () =>
      (await db('outbox').whereNot('type', 'like', '%_import.continue').orderBy('id')).map(({ event }) => event),
    forgetEvents: async () => void (await db('outbox').delete()),
    bus,
    asked: async (by, path, body) => {
      const headers = await signers[by].headers({ sub: by, role: 'automation' }, name);
      if (body === undefined) return fetch(url + path, { headers });
      return fetch(url + path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    },
    close: async () => {
      await bus.close();
      await db.destroy();
    },
  };
}
