import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { seedConfig, tokenConfig } from '@ops/demo/config';
import { writeSecrets } from '@ops/deployment/deployment-secrets';
import { prepareDatabaseConfig } from '@ops/deployment/prepare-database';
import { config as devIdp } from '@ops/dev-idp/config';
import { config as providerSim } from '@ops/provider-sim/config';
import { loadConfig } from '@ops/service-kit/config';
import type { z } from 'zod';
import { gatewayConfig } from '../../gateway/src/config.ts';
import { nightlyRefreshConfig } from '../../gateway/src/refresh/nightly-refresh.ts';
import { config as commsService } from '../../services/comms-service/src/config.ts';
import { config as notifier } from '../../services/notifier/src/config.ts';
import { config as renewalsService } from '../../services/renewals-service/src/config.ts';
import { config as webhookIngest } from '../../services/webhook-ingest/src/config.ts';
import { type Container, canRender, find, type Manifest, manifestsIn, type Pod, podsOf, render } from './kustomize.ts';

/** What each container may be told, by image and, where one image does two things, by container. */
const configs: Record<string, z.ZodObject> = {
  'gateway process': gatewayConfig,
  'gateway refresh': nightlyRefreshConfig,
  'comms-service process': commsService,
  'renewals-service process': renewalsService,
  'webhook-ingest process': webhookIngest,
  'notifier process': notifier,
  'migrate migrate': prepareDatabaseConfig,
  // It also holds the token command.
  'dev-idp dev-idp': devIdp.extend(tokenConfig.shape),
  'provider-sim provider-sim': providerSim,
  'demo-seed demo-seed': seedConfig,
};

type Overlay = 'dev' | 'production';
const rendered = {} as Record<Overlay, Manifest[]>;
/** Secrets that somebody makes: `npm run secrets`, or in production an operator. */
const secrets = {} as Record<Overlay, Record<string, Record<string, string>>>;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ops-test-pods-'));
  const ops = await madeSecrets();
  secrets.dev = {
    ops,
    'postgres-app': { uri: ops.database_url ?? '' },
    'rabbitmq-default-user': { connection_string: ops.amqp_url ?? '' },
  };
  secrets.production = {
    ops,
    'postgres-app': { uri: 'postgresql://ops_admin:secret@postgres-rw.ops:5432/ops' },
    'rabbitmq-default-user': { connection_string: 'amqp://default_user:secret@rabbitmq.ops.svc:5672/' },
  };
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** What `npm run secrets` leaves, as `kubectl create secret generic ops --from-file=secrets` takes it. */
async function madeSecrets(): Promise<Record<string, string>> {
  const made = join(directory, 'secrets');
  await writeSecrets(made);
  const names = await readdir(made);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(made, name), 'utf8')])),
  );
}

test('no manifest is a Secret', async () => {
  const paths = globSync('k8s/**/*.yaml', { cwd: join(import.meta.dirname, '..', '..') });
  const manifests = await Promise.all(paths.map((path) => manifestsIn(relative('k8s', path))));
  expect(manifests.length).toBeGreaterThan(20);
  expect(manifests.flat().filter((one) => one?.kind === 'Secret')).toEqual([]);
});

if (canRender())
  describe.each(['dev', 'production'] as const)('as kubectl renders %s', (name) => {
    beforeAll(async () => {
      rendered[name] = await render(name);
    });

    test('no container may do more than it needs, or take more than it is given', () => {
      for (const { spec, containers } of podsOf(rendered[name])) {
        expect(spec).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        });
        for (const { securityContext, resources } of containers) {
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(Object.keys(resources.limits).sort()).toEqual(['cpu', 'memory']);
        }
      }
    });

    test('nothing is told that nobody reads', () => {
      const readers = ofOurs(name);
      for (const { container, config } of readers)
        for (const { name: told } of container.env ?? [])
          expect(Object.keys(config.shape)).toContain(told.replace(/_FILE$/, ''));
      for (const { metadata, data } of rendered[name].filter(isSettings)) {
        const known = readers
          .filter(({ container }) => container.envFrom?.some(({ configMapRef: { name } }) => name === metadata.name))
          .flatMap(({ config }) => Object.keys(config.shape));
        expect(Object.keys(data).filter((told) => !known.includes(told))).toEqual([]);
      }
    });

    test('every container is told all it must be, as it will read it', async () => {
      for (const { pod, container, config } of ofOurs(name)) {
        const env = await environmentOf(name, pod, container);
        expect(() => loadConfig(config, env)).not.toThrow();
      }
    });

    test('no secret stands among the settings, and no Secret in the repository', () => {
      const told = rendered[name].filter(isSettings).flatMap(({ data }) => Object.keys(data));
      expect(told.filter((key) => /SECRET|PASSWORD|ACCESS_TOKEN|PRIVATE|AUTH$/.test(key))).toEqual([]);
      expect(rendered[name].filter(({ kind }) => kind === 'Secret')).toEqual([]);
    });

    test('the night of the CronJob is the night of the firm', () => {
      const { OPS_TIME_ZONE: timeZone, REFRESH_CRON } = settingsOf(name);
      const { spec } = find(rendered[name], 'CronJob', 'nightly-refresh');
      expect({ ...spec, REFRESH_CRON }).toMatchObject({ concurrencyPolicy: 'Forbid', timeZone, REFRESH_CRON: 'off' });
    });

    if (name === 'production') {
      test('staff and providers come in by the address that the Ingress serves, over TLS', () => {
        const { protocol, host } = new URL(settingsOf(name).PUBLIC_URL ?? '');
        const { tls, rules } = find(rendered[name], 'Ingress', 'gateway').spec;
        expect([protocol, tls[0].hosts, rules[0].host]).toEqual(['https:', [host], host]);
      });

      test('all replicas together send no faster than one process would', async () => {
        const [{ pod, container }] = ofOurs(name).filter((one) => one.config === notifier) as [Ours];
        const told = loadConfig(notifier, await environmentOf(name, pod, container));
        for (const rate of ['SENDING_RATE_MESSAGING_APP', 'SENDING_RATE_EMAIL', 'SENDING_RATE_SMS'] as const)
          expect(told[rate] * mostReplicas('notifier')).toBeLessThanOrEqual(notifier.shape[rate].parse(undefined));
      });

      test('Postgres has a connection for every replica at its most', () => {
        const services = ['comms-service', 'renewals-service', 'webhook-ingest', 'notifier'];
        const most = 10 * services.reduce((sum, service) => sum + mostReplicas(service) + 1, 0);
        const { parameters } = find(rendered[name], 'Cluster', 'postgres').spec.postgresql;
        expect(Number(parameters.max_connections)).toBeGreaterThan(most);
      });

      test('no apply undoes what the autoscaler did', () => {
        for (const { spec } of rendered[name].filter(({ kind }) => kind === 'HorizontalPodAutoscaler'))
          expect(find(rendered[name], 'Deployment', spec.scaleTargetRef.name).spec.replicas).toBeUndefined();
      });
    }
  });
else console.info('kubectl (1.21 or newer) is not on this machine: what the overlays render to is not looked at');

const mostReplicas = (name: string): number =>
  find(rendered.production, 'HorizontalPodAutoscaler', name).spec.maxReplicas;

interface Ours {
  pod: Pod;
  container: Container;
  config: z.ZodObject;
}

function ofOurs(name: Overlay): Ours[] {
  const all = podsOf(rendered[name]).flatMap((pod) => pod.containers.map((container) => ({ pod, container })));
  return all.flatMap(({ pod, container }) => {
    const [, image] = /\bops\/([a-z-]+):/.exec(container.image) ?? [];
    if (!image) return [];
    const config = configs[`${image} ${container.name}`];
    if (!config) throw new Error(`nothing says what ${container.name} of ${pod.name} reads`);
    return { pod, container, config };
  });
}

const isSettings = ({ kind, metadata }: Manifest) => kind === 'ConfigMap' && !metadata.labels?.grafana_dashboard;

function settingsOf(name: Overlay): Record<string, string> {
  const found = rendered[name].find(({ kind, data }) => kind === 'ConfigMap' && 'OPS_TIME_ZONE' in data);
  return found?.data ?? {};
}

/** As the kubelet would have it, with the mounted Secrets as files below a directory of ours. */
async function environmentOf(name: Overlay, pod: Pod, container: Container): Promise<Record<string, string>> {
  const root = await mkdtemp(join(directory, 'root-'));
  await mountSecrets(name, pod, container, root);
  const maps = (container.envFrom ?? []).map((one) => find(rendered[name], 'ConfigMap', one.configMapRef.name).data);
  const own = (container.env ?? []).map(({ name: told, value = '' }) => [
    told,
    told.endsWith('_FILE') ? join(root, value) : value,
  ]);
  return { ...Object.assign({}, ...maps), ...Object.fromEntries(own) };
}

async function mountSecrets(name: Overlay, pod: Pod, container: Container, root: string): Promise<void> {
  for (const { name: volume, mountPath } of container.volumeMounts ?? []) {
    const { projected } = pod.spec.volumes.find((one: { name: string }) => one.name === volume);
    for (const { secret } of projected?.sources ?? [])
      for (const { key, path } of secret.items) {
        const value = secrets[name][secret.name]?.[key];
        if (value === undefined) throw new Error(`nobody makes ${key} of Secret ${secret.name}`);
        const file = join(root, mountPath, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, value);
      }
  }
}
