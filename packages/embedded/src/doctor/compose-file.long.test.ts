import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { writeSecrets } from '@ops/deployment/deployment-secrets';
import type { Examined, Line } from '@ops/service-kit/doctor/finding';
import { composeExamined } from './compose-file.ts';

// Five processes are started each time.

const root = join(import.meta.dirname, '../../../..');
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'ops-doctor-compose-'));
  await copyFile(join(root, 'docker-compose.yml'), join(home, 'docker-compose.yml'));
  await copyFile(join(root, '.env.example'), join(home, '.env'));
  await writeSecrets(join(home, 'secrets'));
});
afterEach(() => rm(home, { recursive: true }));

const look = () => composeExamined({ json: false, timeoutMs: 5000 }, home);

/** Everything that is not well, as `process: name: said`. */
const wrong = async () => wrongAmong(await look());

function wrongAmong(examined: Examined[]): string[] {
  const bad = ({ status }: Line) => status !== 'ok';
  return examined.flatMap(({ process, checks }) =>
    checks.filter(bad).map(({ name, said }) => `${process}: ${name}: ${said}`),
  );
}

const read = (file: string) => readFile(join(home, file), 'utf8');

async function change(file: string, from: string | RegExp, to: string): Promise<void> {
  await writeFile(join(home, file), (await read(file)).replace(from, to));
}

test('as it is made for trying, nothing is wrong with it, and every process was looked at', async () => {
  const examined = await look();
  expect(wrongAmong(examined)).toEqual([]);
  expect(examined.map(({ process }) => process)).toEqual([
    'docker-compose.yml',
    'gateway',
    'comms-service',
    'renewals-service',
    'webhook-ingest',
    'notifier',
    'migrate',
    'rabbitmq',
    'together',
  ]);
});

test('with monitoring it says who is told of alerts, or that nobody is', async () => {
  await change('.env', 'COMPOSE_PROFILES=demo', 'COMPOSE_PROFILES=demo,monitoring');
  const nobody = 'docker-compose.yml: who is told: nobody: secrets/alert_webhook_url is empty';
  expect(await wrong()).toEqual([nobody]);
  await writeFile(join(home, 'secrets', 'alert_webhook_url'), 'https://on-call.example.com/hook\n');
  expect(await wrong()).toEqual([]);
});

test('without .env and secrets it says which are missing and how they are made', async () => {
  await rm(join(home, '.env'));
  await rm(join(home, 'secrets', 'session_secret'));
  expect(await wrong()).toEqual(
    expect.arrayContaining([
      'docker-compose.yml: .env: is not there',
      'gateway: configuration: SESSION_SECRET_FILE: cannot be read (ENOENT)',
      'gateway: configuration: PUBLIC_URL: expected an http:// or https:// address, but it is not set',
    ]),
  );
});

test('an account at the broker that all share is told of, and one that the broker is not told of', async () => {
  const { username, password } = new URL(await read('secrets/notifier_amqp_url'));
  await rm(join(home, 'secrets', 'notifier_amqp_password'));
  await writeSecrets(join(home, 'secrets'));
  const unknown = "secrets/rabbitmq_definitions.json is not what this version and the processes' addresses want";
  expect(await wrong()).toEqual([`rabbitmq: accounts: ${unknown}`]);
  const names = ['gateway', 'comms-service', 'renewals-service', 'webhook-ingest'];
  for (const name of names)
    await copyFile(join(home, 'secrets/notifier_amqp_url'), join(home, `secrets/${name}_amqp_url`));
  expect([username, await wrong()]).toEqual(['notifier', ['together: broker accounts: all processes share one']]);
  await change('secrets/gateway_amqp_url', 'notifier:', 'gateway:');
  await change('secrets/gateway_amqp_url', '@rabbitmq', '@elsewhere');
  const told = await wrong();
  expect(told).toEqual([
    expect.stringMatching(/^together: AMQP_URL: differs between gateway, /),
    'together: broker accounts: comms-service, renewals-service, webhook-ingest, notifier share one',
  ]);
  expect(JSON.stringify(told)).not.toContain(password);
});

test('what was misspelt, exchanged by half or left out is told where it matters', async () => {
  await change('.env', 'OIDC_AUDIENCE=', 'OIDC_AUDIENC=');
  await change('.env', /SMS_ACCOUNT_SID=.*/, 'SMS_ACCOUNT_SID=');
  await writeFile(join(home, 'secrets', 'comms_database_password'), 'exchanged\n');
  await rm(join(home, 'secrets', 'gateway_internal_private_key'));
  await writeSecrets(join(home, 'secrets'));
  await writeFile(join(home, 'secrets', 'messaging_app_app_secret'), '');
  const told = await wrong();
  expect(told).toEqual(
    expect.arrayContaining([
      'docker-compose.yml: .env: OIDC_AUDIENC means nothing to docker-compose.yml',
      expect.stringMatching(/^webhook-ingest: messaging app webhooks: MESSAGING_APP_APP_SECRET is not set/),
      'notifier: SMS: SMS_BASE_URL is set, SMS_ACCOUNT_SID not',
      'migrate: passwords: COMMS_DATABASE_PASSWORD is not the one in DATABASE_URL of comms-service',
      'together: internal key of gateway: INTERNAL_PRIVATE_KEY belongs to no key of INTERNAL_PUBLIC_KEYS',
      'together: messaging app both ways: MESSAGING_APP_BASE_URL is set, and webhook-ingest would refuse what comes back',
    ]),
  );
  expect(JSON.stringify(told)).not.toContain('exchanged');
});
