import { request as httpRequest, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { join } from 'node:path';
import type { TapListener } from '@ops/bus/port';
import type { FieldError, Problem } from '@ops/contracts/problem';
import { type ServiceName, serviceNames } from '@ops/contracts/routes';
import { openDatabase } from '@ops/service-kit/database';
import { listen } from '@ops/service-kit/http-server';
import { createLeave } from '@ops/service-kit/leave';
import { createLogger } from '@ops/service-kit/logger';
import { createMetrics, type Metrics } from '@ops/service-kit/metrics';
import { createServiceDatabase, type TestDatabase } from '@ops/service-kit/test/database';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { AccessFiles } from '../src/audit/access-files.ts';
import { gatewayConfig } from '../src/config.ts';
import { createGateway, type GatewayParts } from '../src/gateway.ts';
import { migrations } from '../src/migrations.ts';
import { startTestIssuer, type TestIssuer } from './issuer.ts';
import { startTestService, type TestService } from './service.ts';

export interface TestGateway {
  port: number;
  url: string;
  services: Record<ServiceName, TestService>;
  /** Checks what the gateway says to services of who asks. */
  publicKeys: { keys: JWK[] };
  bus: TestBus;
  metrics: Metrics;
  /** JSON lines. */
  logged: string[];
  /** As a process does before it stops, without the time. */
  leave(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestBus {
  tap(types: readonly string[], listener: TapListener): Promise<{ close(): Promise<void> }>;
  check(): Promise<void>;
  /** Set while somebody listens. */
  listener?: TapListener | undefined;
  types?: readonly string[];
}

export function createTestBus(): TestBus {
  const bus: TestBus = {
    async tap(types, listener) {
      bus.types = types;
      bus.listener = listener;
      return {
        async close() {
          bus.listener = undefined;
        },
      };
    },
    check: async () => {},
  };
  return bus;
}

export interface TestGatewayOptions {
  issuer: string;
  env?: NodeJS.ProcessEnv;
  bus?: TestBus;
  /** Of several gateways; without it, one of its own. */
  database?: TestDatabase;
  accessFiles?: Pick<AccessFiles, 'write'>;
  heartbeatMs?: number;
  connectTimeoutMs?: number;
  mostUnderWay?: number;
  /** Needs the address the gateway will have, such as an identity provider that redirects to it. */
  before?: (gatewayUrl: string) => Promise<void>;
}

/** A gateway as in production, save that the bus is at hand and the services are stand-ins. */
export async function startTestGateway({
  issuer,
  env = {},
  before,
  ...options
}: TestGatewayOptions): Promise<TestGateway> {
  const { bus = createTestBus(), database, ...others } = options;
  const own = database ?? (await createServiceDatabase('gateway', migrations));
  const services = Object.fromEntries(
    await Promise.all(serviceNames.map(async (name) => [name, await startTestService()])),
  ) as Record<ServiceName, TestService>;
  const { privateKey, publicKey } = await generateKeyPair('Ed25519', { extractable: true });
  const kid = 'gateway';
  const logged: string[] = [];
  const logger = createLogger('gateway', 'debug', { write: (line) => logged.push(line) });
  const metrics = createMetrics('gateway');

  let listener: RequestListener = (_req, res) => res.destroy();
  const leave = createLeave({ DRAIN_SECONDS: 0 });
  const server = await listen((req, res) => listener(req, res), { host: '127.0.0.1', port: 0, drainMs: 200, leave });
  const url = `http://127.0.0.1:${server.port}`;
  await before?.(url);
  const config = gatewayConfig.parse({
    AMQP_URL: 'amqp://not.used',
    DATABASE_URL: own.urls.gateway,
    COMMS_SERVICE_URL: services['comms-service'].url,
    RENEWALS_SERVICE_URL: services['renewals-service'].url,
    WEBHOOK_INGEST_URL: services['webhook-ingest'].url,
    NOTIFIER_URL: services.notifier.url,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'ops-gateway',
    OIDC_CLIENT_SECRET: 'a secret of the gateway',
    SESSION_SECRET: 'a session secret of more than 32 characters',
    INTERNAL_PRIVATE_KEY: JSON.stringify({ ...(await exportJWK(privateKey)), kid }),
    PUBLIC_URL: url,
    UI_DIR: join(import.meta.dirname, 'built-pages'),
    ...env,
  });
  const db = openDatabase(config.DATABASE_URL, { applicationName: 'gateway', max: 4 });
  const parts: GatewayParts = { config, logger, metrics, bus, db, leave, ...others };
  const gateway = createGateway(parts);
  listener = gateway.app as unknown as RequestListener;
  gateway.start();
  return {
    port: server.port,
    url,
    services,
    publicKeys: { keys: [{ ...(await exportJWK(publicKey)), kid }] },
    bus,
    metrics,
    logged,
    leave: leave.take,
    async stop() {
      await Promise.all([server.close(), gateway.endStreams()]);
      await gateway.close();
      await db.destroy();
      if (!database) await own.drop();
      await Promise.all(Object.values(services).map((service) => service.stop()));
    },
  };
}

/** With an issuer of its own, which goes down with it. */
export async function startWithIssuer(
  options: Omit<TestGatewayOptions, 'issuer'> = {},
): Promise<{ issuer: TestIssuer; gateway: TestGateway }> {
  const issuer = await startTestIssuer();
  const gateway = await startTestGateway({ issuer: issuer.url, ...options });
  return { issuer, gateway: { ...gateway, stop: () => gateway.stop().then(issuer.down) } };
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Undefined when it is not JSON. */
  json: AnswerBody;
}

/** What tests read of a problem, of what the stand-in service saw, and of who the caller is. */
export interface AnswerBody extends Problem {
  url: string;
  body: string;
  method: string;
  headers: Record<string, string>;
  errors: FieldError[];
  csrf_token: string | null;
}

export interface Ask {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

/** Sends the path as it is written: `fetch` would tidy up what a test means to be untidy. */
export function ask(port: number, path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

function parsed(text: string): AnswerBody {
  try {
    return JSON.parse(text);
  } catch {
    return undefined as never;
  }
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
