import type { CustomerCard, RenewalStanding } from '@ops/contracts/internal-routes';
import type { Actor } from '@ops/contracts/roles';
import { loadConfig } from '@ops/service-kit/config';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createTestDatabase } from '@ops/test-kit/database';
import { createClient } from '@ops/test-kit/http-client';
import { createTestSigner } from '@ops/test-kit/tokens';
import { compose } from '../src/compose.ts';
import { config } from '../src/config.ts';
import { answer, type Behaviour, startOutside, takesAll } from './outside.ts';
import { testSettings } from './settings.ts';

export const staff: Actor = { sub: 'agent-1', role: 'staff' };
export const admin: Actor = { sub: 'chief-1', role: 'admin' };

interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** `T` is what the test takes the body for; whether it is that, the client has checked against the OpenAPI document. */
type Call = <T>(actor: Actor, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer<T>>;

export interface TestService {
  get: Call;
  post: Call;
  put: Call;
  patch: Call;
  db: Db;
  databaseUrl: string;
  /** comms-service is away, or knows these and nobody else. */
  customers(cards: readonly CustomerCard[] | 'away'): void;
  /** renewals-service is away, or knows these by their ids and no others; at first, none. */
  renewals(standings: Readonly<Record<string, RenewalStanding>> | 'away'): void;
  close(): Promise<void>;
}

/** The whole service in this process, on a database and a Postgres bus of its own, for callers with an internal token. */
export async function startTestService(settings: Record<string, string> = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const [comms, twilio] = [await startOutside(answer(200, { data: [] })), await startOutside(takesAll())];
  const renewals = await startOutside(standingsOf({}));
  const gateway = createTestSigner();
  const own = testSettings(database, comms, twilio);
  const keys = [gateway.publicKeys, own.INTERNAL_PUBLIC_KEYS ?? ''].flatMap((set) => JSON.parse(set).keys);
  const internal = { INTERNAL_PUBLIC_KEYS: JSON.stringify({ keys }), RENEWALS_SERVICE_URL: renewals.url };
  const env = { ...own, LOG_LEVEL: 'silent', ...internal, ...settings };
  const running = await compose(loadConfig(config, env));
  const db = openDatabase(database.urls.notifier, { applicationName: 'test' });
  const url = `http://127.0.0.1:${running.port}`;
  const caller =
    (method: string): Call =>
    async <T>(actor: Actor, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const client = createClient(url, () => gateway.headers(actor, 'notifier'));
      const answered = await client.request(method, path, { body, headers });
      return { ...answered, body: answered.body as T };
    };
  return {
    get: caller('GET'),
    post: caller('POST'),
    put: caller('PUT'),
    patch: caller('PATCH'),
    db,
    databaseUrl: database.urls.notifier,
    customers: (cards) => comms.behave(cards === 'away' ? answer(503, {}) : answer(200, { data: cards })),
    renewals: (standings) => renewals.behave(standings === 'away' ? answer(503, {}) : standingsOf(standings)),
    close: async () => {
      await db.destroy();
      await running.stop();
      await Promise.all([comms.close(), twilio.close(), renewals.close()]);
      await database.drop();
    },
  };
}

const standingsOf =
  (standings: Readonly<Record<string, RenewalStanding>>): Behaviour =>
  (taken, res) => {
    const standing = standings[taken.path.split('/')[3] ?? ''];
    return answer(standing ? 200 : 404, standing ?? {})(taken, res);
  };
