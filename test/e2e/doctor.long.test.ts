import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Examined, Line } from '@ops/service-kit/doctor/finding';
import { newKeyPair } from '@ops/service-kit/internal-keys';
import { eventually } from '@ops/test-kit/eventually';

// Each look starts six processes.

/** The command an engineer types, in a second terminal. */
const launcher = join(import.meta.dirname, '../../packages/embedded/launcher/launch.mjs');
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ops-doctor-start-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const launch = (args: string[], change: Record<string, string> = {}) =>
  spawn(process.execPath, [launcher, ...args], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      OPS_DATA_DIR: dataDir,
      PORT: '0',
      DATABASE_URL: '',
      AMQP_URL: '',
      ...change,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

async function doctor(args: string[] = [], change: Record<string, string> = {}) {
  const child = launch(['doctor', ...args], change);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, output, errors };
}

/** What is told of each process, as `name: said`, with its line. */
async function told(change: Record<string, string> = {}) {
  const { code, output } = await doctor(['--json'], change);
  const { ok, processes } = JSON.parse(output) as { ok: boolean; processes: Examined[] };
  const of = (process: string, name: string): Line | undefined =>
    processes
      .find((one) => one.process === process)
      ?.checks.find((line) => line.name === name && line.status !== 'ok') ??
    processes.find((one) => one.process === process)?.checks.find((line) => line.name === name);
  return { code, ok, processes, of, output };
}

describe('where nothing runs', () => {
  test('it says so, that all is there to start, and ends well', async () => {
    const { code, output } = await doctor();
    expect(output).toContain(`warning  npm start: does not run on ${dataDir}`);
    expect(output).toMatch(/\n {11}fix: npm start/);
    expect(output).toMatch(/\n0 failed, 1 warning, \d+ ok\n$/);
    // No colours where nobody looks.
    expect(output).not.toContain('\u001b');
    expect(code).toBe(0);
  });

  test('it says what would keep the start from working', async () => {
    const taken = createServer().listen(0);
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const nowhere = 'postgres://admin:not-for-anybody@127.0.0.1:9/ops';
    const { code, of, output } = await told({
      PORT: String(port),
      DATABASE_URL: nowhere,
      AMQP_URL: 'amqp://127.0.0.1:9',
    });
    taken.close();
    expect(code).toBe(1);
    expect(of('this machine', 'port')).toMatchObject({ status: 'failed', fix: expect.stringContaining('PORT=') });
    expect(of('this machine', 'DATABASE_URL')).toMatchObject({
      status: 'failed',
      said: expect.stringMatching(/ECONNREFUSED/),
    });
    expect(of('this machine', 'broker')).toMatchObject({ status: 'failed', fix: expect.stringContaining('AMQP_URL') });
    expect(output).not.toContain('not-for-anybody');
  });

  test('it says which setting is wrong, and that a folder cannot be written to', async () => {
    const { code, of } = await told({ PORT: 'http', OPS_DATA_DIR: launcher, DATABSE_URL: 'postgres://x' });
    expect(code).toBe(1);
    expect(of('this machine', 'configuration')).toMatchObject({
      status: 'failed',
      said: 'PORT: expected a port, 0 for any free one, given "http"',
    });
    expect(of('this machine', 'data directory')).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('OPS_DATA_DIR'),
    });
  });

  test('it wants to be asked in words it knows', async () => {
    const { code, errors } = await doctor(['--everything']);
    expect(code).toBe(2);
    expect(errors).toContain('usage: doctor [--json]');
  });
});

describe('beside a running system', () => {
  let system: ChildProcess;
  let kept: string;
  const runFile = () => join(dataDir, 'run.json');

  beforeAll(async () => {
    system = launch(['start']);
    let output = '';
    system.stdout?.on('data', (chunk) => (output += chunk));
    system.stderr?.on('data', (chunk) => (output += chunk));
    await eventually(() => expect(output).toMatch(/^ready /m));
    kept = await readFile(runFile(), 'utf8');
  });
  afterAll(async () => {
    system.kill('SIGTERM');
    await once(system, 'exit');
  });

  type Settings = Record<string, Record<string, string>>;

  /** What is told when the processes had been told otherwise. */
  async function toldWith(change: (settings: Settings) => void) {
    const run = JSON.parse(kept);
    change(run.settings);
    await writeFile(runFile(), JSON.stringify(run));
    return told().finally(() => writeFile(runFile(), kept));
  }

  test('all is well with each process, and everything was looked at', async () => {
    const { code, ok, of, processes } = await told();
    expect(
      processes.flatMap(({ process, checks }) =>
        checks.filter(({ status }) => status === 'failed').map((line) => ({ process, line })),
      ),
    ).toEqual([]);
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(of('this machine', 'door')).toMatchObject({ status: 'ok' });
    const names = new Map(processes.map(({ process, checks }) => [process, checks.map(({ name }) => name)]));
    const ofEach = [
      'configuration',
      'internal keys',
      'database',
      'rights',
      'clock',
      'migrations',
      'outbox',
      'dead letters',
      'audit',
    ];
    for (const service of ['comms-service', 'renewals-service', 'webhook-ingest', 'notifier'])
      expect(names.get(service)).toEqual(expect.arrayContaining(ofEach));
    expect(names.get('gateway')).toEqual(
      expect.arrayContaining(['identity provider', 'client at the identity provider', 'database', 'pages', 'notifier']),
    );
    expect(names.get('notifier')).toEqual(expect.arrayContaining(['messaging app', 'SMS', 'e-mail', 'comms-service']));
    expect(names.get('renewals-service')).toContain('last refresh');
  });

  test('what is broken is told with what to do, and nothing else is', async () => {
    const nobody = 'http://127.0.0.1:10';
    const { code, of, processes } = await toldWith(({ gateway, ...services }) => {
      Object.assign(gateway ?? {}, { OIDC_CLIENT_SECRET: 'not-the-secret', COMMS_SERVICE_URL: nobody });
      Object.assign(services.notifier ?? {}, {
        MESSAGING_APP_ACCESS_TOKEN: 'not-the-token',
        SMTP_URL: 'smtp://127.0.0.1:10',
      });
      const database = new URL(String(services['comms-service']?.DATABASE_URL));
      database.password = 'not-the-password';
      Object.assign(services['comms-service'] ?? {}, {
        DATABASE_URL: database.href,
        SMS_AUTH_TOKEN: 'not-the-token-of-it',
      });
      Object.assign(services['renewals-service'] ?? {}, {
        INTERNAL_PRIVATE_KEY: JSON.stringify(newKeyPair('renewals-service').private),
      });
      delete services['webhook-ingest']?.MESSAGING_APP_VERIFY_TOKEN;
      Object.assign(services['webhook-ingest'] ?? {}, { AMQP_URL: process.env.TEST_AMQP_URL });
    });
    expect(code).toBe(1);
    const failures = processes.flatMap(({ process, checks }) =>
      checks.filter(({ status }) => status === 'failed').map(({ name }) => `${process}: ${name}`),
    );
    expect(failures.sort()).toEqual(
      [
        'gateway: client at the identity provider',
        'gateway: comms-service',
        'notifier: messaging app',
        'notifier: e-mail',
        'comms-service: database',
        'comms-service: SMS',
        'renewals-service: internal keys',
        'renewals-service: comms-service',
        'renewals-service: notifier',
        'webhook-ingest: messaging app webhooks',
        'together: AMQP_URL',
        'together: MESSAGING_APP_ACCESS_TOKEN',
        'together: SMS_AUTH_TOKEN',
      ].sort(),
    );
    const fixes = {
      'client at the identity provider': of('gateway', 'client at the identity provider'),
      'messaging app': of('notifier', 'messaging app'),
      database: of('comms-service', 'database'),
      'comms-service': of('renewals-service', 'comms-service'),
    };
    expect(fixes).toMatchObject({
      'client at the identity provider': { fix: expect.stringContaining('OIDC_CLIENT_SECRET') },
      'messaging app': {
        said: expect.stringContaining('code 190'),
        fix: expect.stringContaining('MESSAGING_APP_ACCESS_TOKEN'),
      },
      database: {
        said: expect.stringContaining('password authentication failed'),
        fix: expect.stringContaining('run migrate'),
      },
      'comms-service': { said: expect.stringContaining('does not believe what is signed here') },
    });
    expect(of('webhook-ingest', 'broker')).toMatchObject({ status: 'ok', said: expect.stringContaining('RabbitMQ') });
  });

  test('an issuer that calls itself otherwise, and one that nobody answers for', async () => {
    const as = async (issuer: (url: string) => string) => {
      const { of } = await toldWith(({ gateway = {} }) => {
        gateway.OIDC_ISSUER = issuer(String(gateway.OIDC_ISSUER));
      });
      return of('gateway', 'identity provider');
    };
    expect(await as((url) => url.replace('127.0.0.1', 'localhost'))).toMatchObject({
      status: 'failed',
      said: expect.stringMatching(/calls itself http:\/\/127.0.0.1/),
      fix: expect.stringMatching(/^set OIDC_ISSUER to http:\/\/127.0.0.1/),
    });
    expect(await as(() => `${JSON.parse(kept).url}/elsewhere`)).toMatchObject({
      status: 'failed',
      said: expect.stringContaining('answered 404'),
    });
    expect(await as(() => 'https://id.invalid')).toMatchObject({
      status: 'failed',
      said: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
  });

  test('a door that nobody opens', async () => {
    await writeFile(runFile(), JSON.stringify({ ...JSON.parse(kept), url: 'http://127.0.0.1:10' }));
    const { of } = await told().finally(() => writeFile(runFile(), kept));
    expect(of('this machine', 'door')).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('start it again'),
    });
  });

  test('settings that cannot be read are told, all of them, and what they hold is not', async () => {
    const { processes, output } = await toldWith(({ gateway = {} }) => {
      Object.assign(gateway, { SESSION_SECRET: 'planted-short', PUBLIC_URL: 'planted-nothing' });
      delete gateway.OIDC_CLIENT_ID;
    });
    const [first] = processes.filter(({ process }) => process === 'gateway');
    expect(first?.checks.map(({ said }) => said.split(':')[0]).sort()).toEqual([
      'OIDC_CLIENT_ID',
      'PUBLIC_URL',
      'SESSION_SECRET',
    ]);
    expect(output).not.toContain('planted');
  });

  test('no secret is shown, whether it is right or wrong', async () => {
    const secret = /KEY|SECRET|TOKEN|PASSWORD|AUTH/;
    const real = Object.values(JSON.parse(kept).settings as Settings)
      .flatMap((settings) => Object.entries(settings))
      .flatMap(([name, value]) =>
        secret.test(name) && name !== 'INTERNAL_PUBLIC_KEYS' ? [value] : passwordsIn(value),
      );
    expect(real.length).toBeGreaterThan(20);
    const well = await doctor();
    for (const one of real) expect(well.output).not.toContain(one);

    const { output } = await toldWith((all) => {
      for (const settings of Object.values(all))
        for (const [name, value] of Object.entries(settings)) {
          if (secret.test(name) && !name.startsWith('INTERNAL'))
            settings[name] = 'planted-where-a-secret-is-wanted-of-32';
          if (name.startsWith('INTERNAL_PRIVATE'))
            settings[name] = JSON.stringify({ ...JSON.parse(value), d: 'planted' });
          if (/(DATABASE|AMQP|SMTP)_URL/.test(name)) settings[name] = withPassword(value, 'planted');
        }
    });
    expect(output).toContain('"ok":false');
    expect(output).not.toContain('planted');
  });
});

const passwordsIn = (value: string) =>
  URL.canParse(value) && new URL(value).password ? [new URL(value).password] : [];

function withPassword(address: string, password: string): string {
  const url = new URL(address);
  url.username ||= 'somebody';
  url.password = password;
  return url.href;
}
