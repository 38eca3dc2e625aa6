import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Trace } from '@ops/bus/trace';
import type { FieldError } from '@ops/contracts/problem';
import type { Actor } from '@ops/contracts/roles';
import type { RouteSpec } from '@ops/contracts/routes';
import { z } from 'zod';
import { type Db, openDatabase } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { createHttpApp, type HttpApp } from '../src/http/http-app.ts';
import { listen } from '../src/http/http-server.ts';
import { createIdentitySigner, createIdentityVerifier, identityHeader } from '../src/identity/identity.ts';
import { createLogger } from '../src/observing/logger.ts';
import { createMetrics, type Metrics } from '../src/observing/metrics.ts';
import type { TurnLimits } from '../src/process/turns.ts';
import { createProvisionedDatabase } from './database.ts';

const jsonOf = ({ headers }: Response, text: string) =>
  text && /json\b/.test(headers.get('content-type') ?? '') ? JSON.parse(text) : undefined;

const staff: Actor = { sub: 'agent-1', role: 'staff' };

/** A process's key pair, as the JSON it is configured with. */
export function keyPair(kid: string): { privateJwk: string; publicJwk: object } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwk = (key: KeyObject) => ({ ...key.export({ format: 'jwk' }), kid });
  return { privateJwk: JSON.stringify(jwk(privateKey)), publicJwk: jwk(publicKey) };
}

/** Collects the lines a logger writes. */
export function logLines() {
  const lines: string[] = [];
  return { lines, logger: createLogger('test', 'debug', { write: (line) => void lines.push(line) }) };
}

export const testRoute = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  spec: Pick<RouteSpec<P, Q, B, R>, 'method' | 'path' | 'params' | 'query'> & Partial<RouteSpec<P, Q, B, R>>,
): RouteSpec<P, Q, B, R> => ({
  owner: 'comms-service',
  roles: ['staff', 'admin'],
  summary: 'A route of this test',
  success: { 200: z.unknown() as unknown as R },
  ...spec,
});

interface CallOptions {
  actor?: Actor | null;
  body?: unknown;
  /** Sent as it stands, with the headers given and no others. */
  raw?: RequestInit['body'];
  headers?: Record<string, string>;
}

/** What these tests look for in an answer, a problem's fields first. */
interface Answered {
  code: string;
  detail?: string;
  request_id: string;
  errors: FieldError[];
  trace: Trace;
  id: string;
  runs: number;
}

interface Called {
  status: number;
  headers: Headers;
  text: string;
  json: Answered;
}

export interface TestApp {
  db: Db;
  origin: string;
  metrics: Metrics;
  lines: string[];
  token(actor?: Actor): Promise<string>;
  /** As another service signs, which is known and is no gateway. */
  tokenOfPeer(actor: Actor): Promise<string>;
  call(method: string, path: string, options?: CallOptions): Promise<Called>;
  close(): Promise<void>;
}

/** Routes of a test's own, served over HTTP on a database of its own. */
export async function startTestApp(mount: (http: HttpApp) => void, room?: TurnLimits): Promise<TestApp> {
  const database = await createProvisionedDatabase();
  const db = openDatabase(database.urls.comms, { applicationName: 'kit-test' });
  await migrate(db, [new URL('../migrations/', import.meta.url)]);
  const { lines, logger } = logLines();
  const [gateway, other] = [keyPair('gateway'), keyPair('notifier')];
  const sign = createIdentitySigner(gateway.privateJwk);
  const metrics = createMetrics('test');
  const http = createHttpApp({
    service: 'test',
    logger,
    db,
    metrics,
    ready: async () => {},
    ...(room && { room }),
    verifyIdentity: createIdentityVerifier(JSON.stringify({ keys: [gateway.publicJwk, other.publicJwk] }), 'test'),
  });
  mount(http);
  const server = await listen(http.listener, { host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${server.port}`;
  const token = (actor: Actor = staff) => sign(actor, 'test');
  return {
    db,
    origin,
    metrics,
    lines,
    token,
    tokenOfPeer: (actor) => createIdentitySigner(other.privateJwk)(actor, 'test'),
    call: async (method, path, options = {}) => {
      const response = await fetch(`${origin}${path}`, await requestOf(method, options, token));
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: jsonOf(response, text) };
    },
    close: async () => {
      await server.close();
      await db.destroy();
      await database.drop();
    },
  };
}

async function requestOf(method: string, options: CallOptions, token: TestApp['token']): Promise<RequestInit> {
  const { actor = staff, body, raw, headers } = options;
  const identity = actor ? { [identityHeader]: await token(actor) } : {};
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const sent: RequestInit & { duplex: 'half' } = {
    method,
    headers: { ...identity, ...json, ...headers },
    duplex: 'half',
  };
  if (content !== undefined) sent.body = content as NonNullable<RequestInit['body']>;
  return sent;
}
