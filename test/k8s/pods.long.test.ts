import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { seedConfig, tokenConfig } from '@ops/demo/config';
import { config as devIdp } from '@ops/dev-idp/config';
import { config as providerSim } from '@ops/provider-sim/config';
import { loadConfig } from '@ops/service-kit/config';
import { writeSecrets } from '@ops/service-kit/deployment-secrets';
import { prepareDatabaseConfig } from '@ops/service-kit/prepare-database';
import type { z } from 'zod';
import { gatewayConfig } from '../../gateway/src/config.ts';
import { nightlyRefreshConfig } from '../../gateway/src/nightly-refresh.ts';
import { config as commsService } from '../../services/comms-service/src/config.ts';
import { config as notifier } from '../../services/notifier/src/config.ts';
import { config as renewalsService } from '../../services/renewals-service/src/config.ts';
import { config as webhookIngest } from '../../services/webhook-ingest/src/config.ts';
import { find, type Manifest, overlay, render } from './kustomize.ts';
import { type Container, type Pod, podsOf } from './pods.ts';

const overlays = ['dev', 'production'] as const;
type Overlay = (typeof overlays)[number];

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
const processes = ['gateway', 'comms-service', 'renewals-service', 'webhook-ingest', 'notifier'];

const configOf = ({ image, name }: Container) => configs[`${/ops\/([a-z-]+)/.exec(image)?.[1]} ${name}`];

const rendered = {} as Record<Overlay, Manifest[]>;
const secrets = {} as Record<Overlay, Record<string, Record<string, string>>>;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ops-test-pods-'));
  for (const name of overlays) rendered[name] = await render(overlay(name));
  const ops = await madeSecrets();
  secrets.dev = {
    ops,
    'postgres-app': { uri: ops.database_url ?? '' },
    'rabbitmq-default-user': { connection_string: ops.amqp_url ?? '' },
  };
  secrets.production = { ops, ...madeByOperators };
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const madeByOperators = {
  'postgres-app': { uri: 'postgresql://ops_admin:secret@postgres-rw.ops:5432/ops' },
  'rabbitmq-default-user': { connection_string: 'amqp://default_user:secret@rabbitmq.ops.svc:5672/' },
};

/** What `npm run secrets` leaves, as `kubectl create secret generic ops --from-file=secrets` takes it. */
async function madeSecrets(): Promise<Record<string, string>> {
  const made = join(directory, 'secrets');
  await writeSecrets(made);
  const names = await readdir(made);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(made, name), 'utf8')])),
  );
}

const every = overlays.map((name) => ({ name }));

test.each(every)('$name: no container may do more than it needs', ({ name }) => {
  for (const pod of podsOf(rendered[name])) {
    expect(pod.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: expect.any(Number),
        seccompProfile: { type: 'RuntimeDefault' },
      },
    });
    for (const { securityContext } of pod.containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    expect([pod.spec.hostNetwork, pod.spec.hostPID, pod.spec.hostIPC]).toEqual([undefined, undefined, undefined]);
  }
});

test.each(every)('$name: each process has an account of its own, which may do nothing', ({ name }) => {
  const accounts = podsOf(rendered[name])
    .map(({ spec }) => spec.serviceAccountName)
    .filter((account) => account !== undefined);
  expect(new Set(accounts).size).toBe(accounts.length);
  for (const account of accounts)
    expect(find(rendered[name], 'ServiceAccount', account).automountServiceAccountToken).toBe(false);
  expect(rendered[name].filter(({ kind }) => kind.includes('Role'))).toEqual([]);
});

test.each(every)('$name: every container says what it needs and how it is seen to live', ({ name }) => {
  for (const { kind, containers } of podsOf(rendered[name]))
    for (const container of containers) {
      for (const amounts of ['requests', 'limits'])
        expect(container.resources[amounts]).toEqual({ cpu: expect.anything(), memory: expect.anything() });
      if (kind === 'Job' || kind === 'CronJob') continue;
      expect(container).toMatchObject({
        startupProbe: expect.anything(),
        readinessProbe: expect.anything(),
        livenessProbe: expect.anything(),
      });
    }
});

/** docs/decisions/kubernetes.md: with the broker away each process still serves, out of its outbox. */
test.each(every)('$name: a process starts once all it needs is there, and then serves without', ({ name }) => {
  for (const process of processes) {
    const [container] = podOf(name, process).containers.filter((one) => one.name === 'process');
    const path = (probe: string) => container?.[probe].httpGet.path;
    expect([path('startupProbe'), path('readinessProbe'), path('livenessProbe')]).toEqual([
      '/readyz',
      '/healthz',
      '/healthz',
    ]);
  }
});

function podOf(name: Overlay, workload: string): Pod {
  const found = podsOf(rendered[name]).find((pod) => pod.name === workload);
  if (!found) throw new Error(`nothing starts ${workload}`);
  return found;
}

const containersWithConfig = (name: Overlay) =>
  podsOf(rendered[name]).flatMap((pod) =>
    pod.containers.flatMap((container) => {
      const config = configOf(container);
      return config ? { pod, container, config } : [];
    }),
  );

test.each(every)('$name: every container of ours reads settings that are known here', ({ name }) => {
  const ours = podsOf(rendered[name]).flatMap(({ containers }) =>
    containers.filter(({ image }) => image.includes('ops/')),
  );
  expect(ours.filter((container) => !configOf(container)).map((one) => one.name)).toEqual([]);
  expect(containersWithConfig(name).map(({ pod }) => pod.name)).toEqual(expect.arrayContaining(processes));
});

test.each(every)('$name: nothing is told that nobody reads', ({ name }) => {
  const readers = containersWithConfig(name);
  for (const { pod, container, config } of readers)
    for (const { name: told } of container.env ?? [])
      expect([pod.name, Object.keys(config.shape)]).toEqual([
        pod.name,
        expect.arrayContaining([told.replace(/_FILE$/, '')]),
      ]);
  const isDashboard = ({ metadata }: Manifest) => metadata.labels?.grafana_dashboard !== undefined;
  for (const map of rendered[name].filter((one) => one.kind === 'ConfigMap' && !isDashboard(one))) {
    const known = readers
      .filter(({ container }) => container.envFrom?.some(({ configMapRef }) => configMapRef.name === map.metadata.name))
      .flatMap(({ config }) => Object.keys(config.shape));
    expect(Object.keys(map.data).filter((told) => !known.includes(told))).toEqual([]);
  }
});

test.each(every)('$name: every container is told all it must be, as it will read it', async ({ name }) => {
  for (const { pod, container, config } of containersWithConfig(name)) {
    const env = await environmentOf(name, pod, container);
    expect(() => loadConfig(config, env)).not.toThrow();
  }
});

/** As the kubelet would have it, with the mounted Secrets as files below a directory of ours. */
async function environmentOf(name: Overlay, pod: Pod, container: Container): Promise<Record<string, string>> {
  const root = await mkdtemp(join(directory, 'root-'));
  await mountSecrets(name, pod, container, root);
  const maps = (container.envFrom ?? []).map(({ configMapRef }) =>
    find(rendered[name], 'ConfigMap', configMapRef.name),
  );
  const own = (container.env ?? []).map(({ name: told, value = '' }) => [
    told,
    told.endsWith('_FILE') ? join(root, value) : value,
  ]);
  return { ...Object.assign({}, ...maps.map(({ data }) => data)), ...Object.fromEntries(own) };
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

test('the services come by the passwords that the migrate Job sets', () => {
  for (const schema of ['comms', 'renewals', 'ingest', 'notifier']) {
    const url = new URL(secrets.production.ops?.[`${schema}_database_url`] ?? '');
    expect([url.username, url.password, url.host]).toEqual([
      `ops_${schema}`,
      secrets.production.ops?.[`${schema}_database_password`]?.trimEnd(),
      'postgres:5432',
    ]);
  }
  for (const name of overlays) expect(find(rendered[name], 'Service', 'postgres').spec.ports[0].port).toBe(5432);
});

test.each(every)('$name: every image is of a version, and every one of ours is built', async ({ name }) => {
  const dockerfile = await readFile(join(import.meta.dirname, '..', '..', 'Dockerfile'), 'utf8');
  for (const { image } of podsOf(rendered[name]).flatMap(({ containers }) => containers)) {
    expect(image).toMatch(/:[\w.]+$/);
    const [, target] = /\bops\/([a-z-]+):/.exec(image) ?? [];
    if (target) expect(dockerfile).toMatch(new RegExp(`^FROM \\S+ AS ${target}$`, 'm'));
  }
});

test('no Secret stands in the repository, and no secret among the settings', () => {
  for (const name of overlays) {
    expect(rendered[name].filter(({ kind }) => kind === 'Secret')).toEqual([]);
    for (const map of rendered[name].filter(({ kind }) => kind === 'ConfigMap'))
      expect(Object.keys(map.data).filter((key) => /SECRET|PASSWORD|ACCESS_TOKEN|PRIVATE|AUTH$/.test(key))).toEqual([]);
  }
});

const settings = (name: Overlay) => find(rendered[name], 'ConfigMap', 'ops').data as Record<string, string>;

test('production: providers and staff come in by the address that the Ingress serves, over TLS', () => {
  const { spec } = find(rendered.production, 'Ingress', 'gateway');
  const { protocol, host } = new URL(settings('production').PUBLIC_URL ?? '');
  expect(protocol).toBe('https:');
  expect([spec.tls[0].hosts, spec.rules.map((rule: { host: string }) => rule.host)]).toEqual([[host], [host]]);
});

test.each(every)('$name: the night of the CronJob is the night of the firm', ({ name }) => {
  const { spec } = find(rendered[name], 'CronJob', 'nightly-refresh');
  expect(spec).toMatchObject({ concurrencyPolicy: 'Forbid', timeZone: settings(name).OPS_TIME_ZONE });
  expect(settings(name).REFRESH_CRON).toBe('off');
});

interface Scaler {
  spec: { scaleTargetRef: { name: string }; minReplicas: number; maxReplicas: number };
}

test('production: no process stands alone, and none goes with the last of its kind', () => {
  const of = (kind: string) => rendered.production.filter((one) => one.kind === kind);
  const scalers = of('HorizontalPodAutoscaler') as unknown as Scaler[];
  expect(scalers.map(({ spec }) => spec.scaleTargetRef.name)).toEqual(processes);
  for (const { spec } of scalers) expect(spec.minReplicas).toBeGreaterThanOrEqual(2);
  expect(of('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels)).toEqual(
    processes.map((name) => podOf('production', name).spec.topologySpreadConstraints[0].labelSelector.matchLabels),
  );
  // Else every `kubectl apply` would undo what the autoscaler did.
  for (const name of processes) expect(find(rendered.production, 'Deployment', name).spec.replicas).toBeUndefined();
});

const mostReplicas = (name: string): number =>
  find(rendered.production, 'HorizontalPodAutoscaler', name).spec.maxReplicas;

test('production: all replicas together send no faster than one process would', async () => {
  const env = await environmentOf(
    'production',
    podOf('production', 'notifier'),
    podOf('production', 'notifier').containers[0] as Container,
  );
  const told = loadConfig(notifier, env);
  for (const rate of ['SENDING_RATE_MESSAGING_APP', 'SENDING_RATE_EMAIL', 'SENDING_RATE_SMS'] as const)
    expect(told[rate] * mostReplicas('notifier')).toBeLessThanOrEqual(notifier.shape[rate].parse(undefined));
});

test('production: Postgres has a connection for every replica at its most', () => {
  const services = processes.filter((name) => name !== 'gateway');
  const most = 10 * services.reduce((sum, name) => sum + mostReplicas(name) + 1, 0);
  const { parameters } = find(rendered.production, 'Cluster', 'postgres').spec.postgresql;
  expect(Number(parameters.max_connections)).toBeGreaterThan(most);
});
