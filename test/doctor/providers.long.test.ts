import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startProviderSim } from '@ops/provider-sim/compose';
import { config as simulatorConfig } from '@ops/provider-sim/config';
import { createSimulator, type Simulator } from '@ops/provider-sim/test/simulator';
import { messagingAppCheck, smsCheck } from '@ops/providers/provider-checks';
import { examine } from '@ops/service-kit/doctor/examine';
import type { Check, Line } from '@ops/service-kit/doctor/finding';
import type { Running } from '@ops/service-kit/lifecycle';
import { createLogger } from '@ops/service-kit/logger';
import { config as notifierConfig } from '../../services/notifier/src/config.ts';
import { smtpCheck } from '../../services/notifier/src/senders/smtp/smtp-check.ts';
import { startMailServer } from '../../services/notifier/test/server.ts';

const secrets = { app: 'token-of-the-app', sms: 'token-of-sms-of-tests', mail: 'password-of-mail' };
let dataDir: string;
let simulator: Simulator;
let running: Running;
let smtpPort: number;
let nobodysPort: number;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ops-doctor-sim-'));
  [smtpPort, nobodysPort] = [await freePort(), await freePort()];
  const settings = simulatorConfig.parse({
    MESSAGING_APP_PHONE_NUMBER_ID: '1001',
    MESSAGING_APP_ACCESS_TOKEN: secrets.app,
    MESSAGING_APP_APP_SECRET: 'secret-of-the-app',
    SMS_ACCOUNT_SID: 'AC1',
    SMS_AUTH_TOKEN: secrets.sms,
    SMS_FROM: '+447700900100',
    EMAIL_FROM: 'office@example.com',
    EMAIL_MIME_BASIC_AUTH: 'mime:password-of-tests',
    PUBLIC_URL: 'http://127.0.0.1:1',
    DATA_DIR: dataDir,
    SMTP_PORT: smtpPort,
  });
  running = await startProviderSim(settings, createLogger('provider-sim', 'silent'));
  simulator = createSimulator(`http://127.0.0.1:${running.port}`);
});
beforeEach(() => simulator.faults());
afterAll(async () => {
  expect(await simulator.requests()).toEqual([]);
  await running.stop();
  await rm(dataDir, { recursive: true });
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function outside(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${portOf(server)}`;
}
const answering = (status: number, body: object, headers: Record<string, string> = {}) =>
  outside((_req, res) => void res.writeHead(status, headers).end(JSON.stringify(body)));

const portOf = (server: Server) => (server.address() as AddressInfo).port;
async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
const nobody = () => `http://127.0.0.1:${nobodysPort}`;
const slowMs = 300;

/** What is told of a channel, first of all; whatever it is, no secret is in it. */
async function look(check: Check, timeoutMs = 5000): Promise<Line> {
  const lines = await examine([check], timeoutMs);
  for (const secret of Object.values(secrets)) expect(JSON.stringify(lines)).not.toContain(secret);
  return lines[0] as Line;
}

describe('the messaging app', () => {
  const good = () => ({
    MESSAGING_APP_BASE_URL: `${simulator.url}/v23.0`,
    MESSAGING_APP_PHONE_NUMBER_ID: '1001',
    MESSAGING_APP_ACCESS_TOKEN: secrets.app,
  });
  const told = (change: object = {}, timeoutMs?: number) =>
    look(messagingAppCheck({ ...good(), ...change }, timeoutMs ?? 5000), timeoutMs);

  test('takes a good token, and says that it is simulated', async () => {
    expect(await told()).toEqual({
      name: 'messaging app',
      status: 'ok',
      said: 'the token is taken for +447700900100, Demo Office (simulated: nothing reaches anybody)',
    });
    expect(await look(messagingAppCheck(good(), 5000, false))).toMatchObject({ status: 'ok' });
  });

  test.each([
    ['a bad token', { MESSAGING_APP_ACCESS_TOKEN: 'other' }, /code 190/, /MESSAGING_APP_ACCESS_TOKEN is wrong/],
    ['a number of somebody else', { MESSAGING_APP_PHONE_NUMBER_ID: '7' }, /code 100/, /MESSAGING_APP_PHONE_NUMBER_ID/],
    [
      'half its settings',
      { MESSAGING_APP_ACCESS_TOKEN: undefined },
      /ACCESS_TOKEN not/,
      /set MESSAGING_APP_ACCESS_TOKEN/,
    ],
  ])('%s', async (_, change, said, fix) => {
    const line = await told(change);
    expect(line).toMatchObject({ status: 'failed', said: expect.stringMatching(said) });
    expect(line).toMatchObject({ fix: expect.stringMatching(fix) });
  });

  test('that nobody answers for', async () => {
    expect(await told({ MESSAGING_APP_BASE_URL: nobody() })).toMatchObject({
      status: 'failed',
      said: expect.stringContaining('ECONNREFUSED'),
      fix: expect.stringContaining('MESSAGING_APP_BASE_URL'),
    });
  });

  test('that does not answer in time is told after that time', async () => {
    await simulator.faults({ hang_rate: 1 });
    expect(await told({}, slowMs)).toMatchObject({ status: 'failed', said: expect.stringMatching(/time/) });
  });

  test('that has enough for now is not called broken settings', async () => {
    await simulator.faults({ throttle_rate: 1 });
    expect(await told()).toMatchObject({ status: 'failed', fix: expect.stringContaining('try again in a minute') });
  });

  test('that lacks rights, or is rated badly', async () => {
    const error = { message: '(#200) Permissions error', type: 'OAuthException', code: 200 };
    expect(await told({ MESSAGING_APP_BASE_URL: await answering(403, { error }) })).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('whatsapp_business_messaging'),
    });
    const red = await answering(200, { id: '1001', display_phone_number: '+44', quality_rating: 'RED' });
    expect(await told({ MESSAGING_APP_BASE_URL: red })).toMatchObject({ status: 'warning' });
  });

  test('without an address is off, which is no fault', async () => {
    expect(await told({ MESSAGING_APP_BASE_URL: undefined })).toMatchObject({
      status: 'ok',
      said: expect.stringContaining('off, since MESSAGING_APP_BASE_URL is not set'),
    });
  });

  test.each([
    [12, 'warning'],
    [90, 'failed'],
  ])('shows by its clock that ours is %i s ahead', async (seconds, status) => {
    const url = await answering(200, {}, { date: new Date(Date.now() - seconds * 1000).toUTCString() });
    const lines = await examine([messagingAppCheck({ ...good(), MESSAGING_APP_BASE_URL: url }, 5000)], 5000);
    expect(lines[1]).toMatchObject({ name: 'clock', status, said: expect.stringMatching(/\d+ s ahead of 127.0.0.1/) });
  });
});

describe('SMS', () => {
  const good = () => ({
    SMS_BASE_URL: simulator.url,
    SMS_ACCOUNT_SID: 'AC1',
    SMS_AUTH_TOKEN: [secrets.sms],
    SMS_FROM: '+447700900100',
  });
  const told = (change: object = {}, timeoutMs?: number) =>
    look(smsCheck({ ...good(), ...change }, timeoutMs ?? 5000), timeoutMs);

  test('takes a good token', async () => {
    const said = 'the token is taken for the account Demo Office (simulated: nothing reaches anybody)';
    expect(await told()).toMatchObject({ status: 'ok', said });
  });

  test.each([
    ['a bad token', { SMS_AUTH_TOKEN: ['other'] }, /code 20003/, /SMS_AUTH_TOKEN must be/],
    ['another account', { SMS_ACCOUNT_SID: 'AC2' }, /code 20003/, /SMS_ACCOUNT_SID/],
    ['half its settings', { SMS_FROM: undefined }, /SMS_BASE_URL is set, SMS_FROM not/, /set SMS_FROM/],
  ])('%s', async (_, change, said, fix) => {
    const line = await told(change);
    expect(line).toMatchObject({ status: 'failed', said: expect.stringMatching(said) });
    expect(line).toMatchObject({ fix: expect.stringMatching(fix) });
  });

  test('that nobody answers for, or not in time', async () => {
    expect(await told({ SMS_BASE_URL: nobody() })).toMatchObject({
      status: 'failed',
      said: expect.stringContaining('ECONNREFUSED'),
      fix: expect.stringContaining('SMS_BASE_URL'),
    });
    await simulator.faults({ hang_rate: 1 });
    expect(await told({}, slowMs)).toMatchObject({ status: 'failed', said: expect.stringMatching(/time/) });
  });

  test('of an account that is closed, or for trying', async () => {
    const account = { sid: 'AC1', friendly_name: 'Firm', status: 'suspended', type: 'Full' };
    expect(await told({ SMS_BASE_URL: await answering(200, account) })).toMatchObject({
      status: 'failed',
      said: 'the account Firm is suspended',
    });
    const trial = await answering(200, { ...account, status: 'active', type: 'Trial' });
    expect(await told({ SMS_BASE_URL: trial })).toMatchObject({ status: 'warning' });
  });
});

describe('e-mail', () => {
  const told = (SMTP_URL: string | undefined, timeoutMs = 5000) => {
    const settings = notifierConfig
      .pick({ SMTP_URL: true, EMAIL_FROM: true })
      .parse({ SMTP_URL, EMAIL_FROM: 'office@example.com' });
    return look(smtpCheck(settings as never, timeoutMs), timeoutMs);
  };

  test('is greeted, and no mail is begun', async () => {
    expect(await told(`smtp://127.0.0.1:${smtpPort}`)).toMatchObject({
      status: 'ok',
      said: expect.stringContaining('simulated'),
    });
    const server = await startMailServer();
    try {
      const url = server.url.replace('//', `//office:${secrets.mail}@`);
      expect(await told(url)).toMatchObject({
        status: 'warning',
        said: expect.stringMatching(/takes user and password; not encrypted/),
      });
      server.say({ AUTH: '535 5.7.8 no' });
      expect(await told(url)).toMatchObject({
        status: 'failed',
        fix: expect.stringContaining('user or password in SMTP_URL'),
      });
      expect(server.mails).toEqual([]);
      expect(server.recipients).toEqual([]);
    } finally {
      await server.close();
    }
  });

  test('that nobody answers, or says nothing, or speaks no TLS', async () => {
    expect(await told(`smtp://127.0.0.1:${nobodysPort}`)).toMatchObject({
      status: 'failed',
      said: expect.stringContaining('ECONNREFUSED'),
    });
    const silent = createTcpServer().listen(0, '127.0.0.1');
    servers.push(silent);
    await new Promise((resolve) => silent.once('listening', resolve));
    expect(await told(`smtp://127.0.0.1:${portOf(silent)}`, slowMs)).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('SMTP_URL'),
    });
    expect(await told(`smtps://127.0.0.1:${smtpPort}`)).toMatchObject({ status: 'failed' });
    expect(await told(undefined)).toMatchObject({ status: 'ok', said: expect.stringContaining('off') });
  });
});
