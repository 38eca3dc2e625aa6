import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Running } from '@ops/service-kit/lifecycle';
import { createLogger } from '@ops/service-kit/logger';
import { startProviderSim } from '../src/compose.ts';
import { type Config, config } from '../src/config.ts';
import { createSimulator, type Simulator } from './simulator.ts';

interface Heard {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A firm that only listens, and the world outside it. */
export interface TestFirm {
  settings: Config;
  heard: Heard[];
  /** What it answers to webhooks from now on. */
  answer(status: number): void;
  simulator: Simulator;
  smtpPort: number;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTestFirm(extra: Record<string, string> = {}): Promise<TestFirm> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ops-test-sim-'));
  const heard: Heard[] = [];
  let status = 200;
  const server = createServer(async (req, res) => {
    heard.push({ path: String(req.url), headers: req.headers, body: (await buffer(req)).toString() });
    res.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const smtpPort = await freePort();
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = config.parse({
    ...accounts,
    PUBLIC_URL: publicUrl,
    DATA_DIR: dataDir,
    SMTP_PORT: smtpPort,
    ...extra,
  });
  const start = () => startProviderSim(settings, createLogger('provider-sim', 'silent'));
  let running: Running = await start();
  const firm: TestFirm = {
    settings,
    heard,
    answer: (next) => {
      status = next;
    },
    simulator: simulatorOf(running),
    smtpPort,
    restart: async () => {
      await running.stop();
      running = await start();
      firm.simulator = simulatorOf(running);
    },
    stop: async () => {
      await running.stop();
      server.close();
      server.closeAllConnections();
      await rm(dataDir, { recursive: true });
    },
  };
  return firm;
}

const simulatorOf = ({ port }: Running) => createSimulator(`http://127.0.0.1:${port}`);

const accounts = {
  MESSAGING_APP_PHONE_NUMBER_ID: '1001',
  MESSAGING_APP_ACCESS_TOKEN: 'token-of-the-app',
  MESSAGING_APP_APP_SECRET: 'secret-of-the-app',
  MESSAGING_APP_TEMPLATES: 'news:en,news:de',
  SMS_ACCOUNT_SID: 'AC1',
  SMS_AUTH_TOKEN: 'token-of-sms-of-tests',
  SMS_FROM: '+447700900100',
  EMAIL_FROM: 'Demo Office <office@example.com>',
  EMAIL_MIME_BASIC_AUTH: 'mime:password-of-tests',
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The messages and statuses of signed webhooks of the messaging app; one with a wrong signature counts as none. */
// biome-ignore lint/suspicious/noExplicitAny: what the provider's format holds
export function cloudValues(heard: Heard[]): any[] {
  return heard
    .filter(({ path }) => path === '/webhooks/messaging-app')
    .filter(
      ({ headers, body }) =>
        headers['x-hub-signature-256'] === `sha256=${hmac('sha256', accounts.MESSAGING_APP_APP_SECRET, body, 'hex')}`,
    )
    .map(({ body }) => JSON.parse(body).entry[0].changes[0].value);
}

export function smsForms(heard: Heard[], publicUrl: string): Record<string, string>[] {
  return heard
    .filter(({ path }) => path.startsWith('/webhooks/sms'))
    .map(({ path, headers, body }) => ({ url: publicUrl + path, headers, form: [...new URLSearchParams(body)].sort() }))
    .filter(
      ({ url, headers, form }) =>
        headers['x-twilio-signature'] === hmac('sha1', accounts.SMS_AUTH_TOKEN, url + form.flat().join(''), 'base64'),
    )
    .map(({ form }) => Object.fromEntries(form));
}

const hmac = (algorithm: string, key: string, text: string, encoding: 'hex' | 'base64') =>
  createHmac(algorithm, key).update(text).digest(encoding);
