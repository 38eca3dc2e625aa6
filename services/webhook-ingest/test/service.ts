import type { Envelope } from '@ops/contracts/envelope';
import type { Actor } from '@ops/contracts/roles';
import { type ApiClient, createClient } from '@ops/contracts/test/http-client';
import { checkResponse } from '@ops/contracts/test/response-check';
import { loadConfig } from '@ops/service-kit/config';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createTestSigner } from '@ops/service-kit/test/tokens';
import { compose } from '../src/compose.ts';
import { config } from '../src/config.ts';
import { createTestDatabase } from './database.ts';
import { settings } from './webhooks.ts';

export const admin: Actor = { sub: 'chief-1', role: 'admin' };

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export interface TestIngest {
  url: string;
  port: number;
  /** As the service's own role. */
  db: Db;
  /** As a provider: bytes and headers as they are. What is answered to one is checked against the OpenAPI document. */
  post(path: string, body: string | Buffer, headers?: Record<string, string>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** As a person, through the contracts. */
  as(actor: Actor): ApiClient;
  /** As another service. */
  internal(path: string, via: string, body?: object): Promise<Answer>;
  events(type?: string): Promise<Envelope[]>;
  restart(): Promise<void>;
  /** Turns every connection of the service away, and cuts those it has; or lets them in again. */
  databaseAway(away: boolean): Promise<void>;
  close(): Promise<void>;
}

const name = 'webhook-ingest';

/** The whole service in this process, on a database and a Postgres bus of its own. */
export async function startTestIngest(more: Record<string, string> = {}): Promise<TestIngest> {
  const database = await createTestDatabase();
  const signers = {
    gateway: createTestSigner(),
    comms: createTestSigner('comms-service'),
    other: createTestSigner('notifier'),
  };
  const keys = Object.values(signers).flatMap(({ publicKeys }) => JSON.parse(publicKeys).keys);
  const env = {
    DATABASE_URL: database.urls.ingest,
    INTERNAL_PUBLIC_KEYS: JSON.stringify({ keys }),
    LOG_LEVEL: 'silent',
  };
  const start = () => compose(loadConfig(config, { ...env, ...settings, ...more }));
  let running = await start();
  const db = openDatabase(database.urls.ingest, { applicationName: 'test' });
  const url = () => `http://127.0.0.1:${running.port}`;
  const call = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(url() + path, init);
    const { status, headers } = response;
    const text = await response.text();
    const body = /\bjson\b/.test(headers.get('content-type') ?? '') ? JSON.parse(text) : text;
    if (path.startsWith('/webhooks/')) checkResponse({ method: init?.method ?? 'GET', path, status, headers, body });
    return { status, headers, text };
  };
  return {
    get url() {
      return url();
    },
    get port() {
      return Number(running.port);
    },
    db,
    post: (path, body, headers = {}) =>
      call(path, {
        method: 'POST',
        body: Buffer.from(body),
        headers: { 'content-type': 'application/octet-stream', ...headers },
      }),
    get: (path) => call(path),
    as: (actor) => createClient(url(), () => signers.gateway.headers(actor, name)),
    internal: async (path, via, body) => {
      const signer = via === 'comms-service' ? signers.comms : signers.other;
      const headers = await signer.headers({ sub: via, role: 'automation' }, name);
      const posted = { method: 'POST', body: JSON.stringify(body) };
      return call(path, { headers: { ...headers, 'content-type': 'application/json' }, ...(body && posted) });
    },
    events: async (type) => {
      const rows: { event: Envelope }[] = await db('outbox').orderBy('id').select('event');
      return rows.map(({ event }) => event).filter((event) => type === undefined || event.type === type);
    },
    restart: async () => {
      await running.stop();
      running = await start();
    },
    databaseAway: database.turnAway,
    close: async () => {
      await db.destroy();
      await running.stop();
      await database.drop();
    },
  };
}
