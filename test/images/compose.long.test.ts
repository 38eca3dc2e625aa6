import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { brokerAccounts } from '@ops/bus/rabbitmq/accounts';
import { internalRoutes } from '@ops/contracts/internal-routes';
import { serviceNames } from '@ops/contracts/routes';
import { seedConfig, tokenConfig } from '@ops/demo/config';
import { writeSecrets } from '@ops/deployment/deployment-secrets';
import { prepareDatabaseConfig } from '@ops/deployment/prepare-database';
import { config as devIdpConfig } from '@ops/dev-idp/config';
import { config as providerSimConfig } from '@ops/provider-sim/config';
import { readConfig } from '@ops/service-kit/config';
import { parse } from 'yaml';
import type { z } from 'zod';
import { gatewayConfig } from '../../gateway/src/config.ts';
import { config as commsConfig } from '../../services/comms-service/src/config.ts';
import { config as notifierConfig } from '../../services/notifier/src/config.ts';
import { config as renewalsConfig } from '../../services/renewals-service/src/config.ts';
import { config as ingestConfig } from '../../services/webhook-ingest/src/config.ts';
import { compose, example, read, root, secretsOf } from './compose.ts';

const services = Object.entries(compose.services);

/** What each reads; the identity provider's container also holds the token command. */
const configs: Record<string, z.ZodObject[]> = {
  gateway: [gatewayConfig],
  'comms-service': [commsConfig],
  'renewals-service': [renewalsConfig],
  'webhook-ingest': [ingestConfig],
  notifier: [notifierConfig],
  migrate: [prepareDatabaseConfig],
  'dev-idp': [devIdpConfig, tokenConfig],
  'provider-sim': [providerSimConfig],
  'demo-seed': [seedConfig],
};

let secrets: string;
beforeAll(async () => {
  secrets = await mkdtemp(join(tmpdir(), 'ops-test-secrets-'));
  await writeSecrets(secrets);
});
afterAll(() => rm(secrets, { recursive: true }));

test('every process has an image of its own, and settings that are looked at here', () => {
  const ours = services.filter(([, { image }]) => image.startsWith('ops/')).map(([name]) => name);
  expect(ours.sort()).toEqual(Object.keys(configs).sort());
  for (const name of ours) expect(read('Dockerfile')).toContain(` AS ${compose.services[name]?.build?.target}\n`);
});

/** The last of the file, which every image of ours runs as. */
const imageUser = [...read('Dockerfile').matchAll(/^USER (\S+)$/gm)].at(-1)?.[1];

describe.each(services)('%s', (name, service) => {
  test('can harm nothing: nothing to write but what it is given, no rights, limits', () => {
    const user = service.build ? imageUser : service.user;
    expect(['1000:1000', 'postgres', 'rabbitmq', 'nobody', '472']).toContain(user);
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.any(String),
      cpus: expect.any(Number),
      pids_limit: expect.any(Number),
      logging: { options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
    });
  });

  test('is told its secrets by file, and no other', () => {
    const environment = Object.entries(service.environment ?? {});
    const named = /SECRET|TOKEN$|PASSWORD|PRIVATE_KEY|SIGNING_KEY|AUTH$|DATABASE_URL|AMQP_URL|SMTP_URL/;
    expect(environment.filter(([key]) => named.test(key) && !key.endsWith('_FILE'))).toEqual([]);
    const files = environment.filter(([key]) => key.endsWith('_FILE')).map(([, value]) => value);
    const mounted = (service.secrets ?? []).flatMap((one) => (typeof one === 'string' ? `/run/secrets/${one}` : []));
    // Alertmanager's own file names it.
    expect(name === 'alertmanager' ? ['/run/secrets/alert_webhook_url'] : files.sort()).toEqual(mounted.sort());
  });

  test('can be reached from this machine alone', () => {
    for (const port of service.ports ?? []) expect(port).toMatch(/^(\$\{OPS_LISTEN:-)?127\.0\.0\.1:/);
  });
});

describe.each(Object.entries(configs))('the settings of %s', (name, schemas) => {
  const told = Object.keys(compose.services[name]?.environment ?? {}).map((key) => key.replace(/_FILE$/, ''));

  test('are all known to it', () => {
    const known = ['LOG_LEVEL', ...schemas.flatMap((schema) => Object.keys(schema.shape))];
    expect(told.filter((key) => !known.includes(key))).toEqual([]);
  });

  test('are all that it cannot do without', () => {
    const given = [...told, ...[...read('Dockerfile').matchAll(/(\w+)=/g)].map(([, key]) => key)];
    expect(schemas.flatMap(needed).filter((key) => !given.includes(key))).toEqual([]);
  });
});

function needed(schema: z.ZodObject): string[] {
  const read = readConfig(schema, {});
  return 'problems' in read ? read.problems.map(({ setting }) => setting) : [];
}

test('a key to ask others with is held by those alone who ask', () => {
  const asking = Object.values(internalRoutes).flatMap(({ callers }): string[] => [...callers]);
  const holders = services.filter(([, service]) => secretsOf(service).some((name) => name.endsWith('_private_key')));
  expect(holders.map(([name]) => name).sort()).toEqual([...new Set([...asking, 'gateway'])].sort());
});

test('each process has an account of its own at the broker, which the broker makes when it starts', async () => {
  const given = services.map(([name, service]) => [
    name,
    secretsOf(service).filter((one) => one.endsWith('_amqp_url')),
  ]);
  const own = Object.fromEntries(brokerAccounts.map((name) => [name, [`${name}_amqp_url`]]));
  expect(Object.fromEntries(given.filter(([, secret]) => secret?.length))).toEqual(own);
  const mounted = (compose.services.rabbitmq?.secrets ?? []).flatMap((one) => (typeof one === 'string' ? [] : one));
  expect(mounted).toEqual([
    { source: 'rabbitmq_accounts.conf', target: expect.stringMatching(/^\/etc\/rabbitmq\/conf\.d\/[^/]+\.conf$/) },
    { source: 'rabbitmq_definitions.json', target: expect.any(String) },
  ]);
  const told = await readFile(join(secrets, 'rabbitmq_accounts.conf'), 'utf8');
  expect(told).toBe(`load_definitions = ${mounted[1]?.target}\n`);
});

test('the database and the broker are met by those alone who use them', () => {
  const on = (network: string) =>
    services.filter(([, { networks }]) => [networks].flat().includes(network)).map(([name]) => name);
  expect(compose.networks).toMatchObject({
    broker: { internal: true },
    data: { internal: true },
    services: { internal: true },
  });
  expect(on('data').sort()).toEqual([...serviceNames, 'gateway', 'migrate', 'postgres'].sort());
  expect(on('broker').sort()).toEqual([...serviceNames, 'gateway', 'rabbitmq'].sort());
});

test('Prometheus asks every process', () => {
  const [{ static_configs }] = parse(read('monitoring/prometheus.yaml')).scrape_configs;
  expect(static_configs[0].targets.sort()).toEqual(['gateway', ...serviceNames].map((name) => `${name}:9090`).sort());
});

test('every file that is mounted is there', () => {
  const mounted = services.flatMap(([, { volumes = [] }]) => volumes).flatMap((one) => /(\.\/[^:}]+)/.exec(one) ?? []);
  expect(mounted.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('every secret is a file that the command makes, and is somebody’s', async () => {
  const made = await readdir(secrets);
  expect(Object.entries(compose.secrets).filter(([name, { file }]) => file !== `./secrets/${name}`)).toEqual([]);
  expect(Object.keys(compose.secrets).filter((name) => !made.includes(name))).toEqual([]);
  const used = new Set(services.flatMap(([, service]) => secretsOf(service)));
  expect(Object.keys(compose.secrets).toSorted()).toEqual([...used].sort());
});

test('the example sets only what is read', () => {
  const readByCompose = [...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
  expect(Object.keys(example).filter((name) => name !== 'COMPOSE_PROFILES' && !readByCompose.includes(name))).toEqual(
    [],
  );
});

test('no secret can get into an image: only what is named is sent to the build', () => {
  const [first, ...rest] = read('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
  expect(first).toBe('*');
  expect(rest.filter((line) => /^!.*(\.env|secrets|\.npmrc|\.ops|\.git)/.test(line))).toEqual([]);
  expect(read('.gitignore')).toMatch(/^secrets\/$/m);
});

test('the Node and the pnpm of the images are those of the checkout', () => {
  const launcher = read('packages/embedded/launcher/install.mjs');
  const version = (name: string) => new RegExp(`${name} = '?([\\d.]+)`).exec(launcher)?.[1];
  const bases = [...read('Dockerfile').matchAll(/^FROM (node:[^\s@]+)/gm)].map(([, base]) => base);
  expect(new Set(bases)).toEqual(new Set([`node:${version('neededNode')}-bookworm-slim`]));
  expect(read('Dockerfile')).toContain(` pnpm@${version('pnpmVersion')}\n`);
});
