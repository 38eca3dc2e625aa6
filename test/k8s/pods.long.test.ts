import { X509Certificate } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { brokerAccounts } from '@ops/bus/rabbitmq/accounts';
import { seedConfig, tokenConfig } from '@ops/demo/config';
import { writeSecrets } from '@ops/deployment/deployment-secrets';
import { prepareDatabaseConfig } from '@ops/deployment/prepare-database';
import { config as devIdp } from '@ops/dev-idp/config';
import { config as providerSim } from '@ops/provider-sim/config';
import { loadConfig } from '@ops/service-kit/config';
import { toldToKeepMs } from '@ops/service-kit/http-server';
import { stopDeadlineMs } from '@ops/service-kit/lifecycle';
import { serviceAddresses } from '@ops/service-kit/service-addresses';
import { serverCertificate } from '@ops/service-kit/tls';
import { makeAuthority } from '@ops/test-kit/certificates';
import type { z } from 'zod';
import { gatewayConfig } from '../../gateway/src/config.ts';
import { nightlyRefreshConfig } from '../../gateway/src/refresh/nightly-refresh.ts';
import { config as commsService } from '../../services/comms-service/src/config.ts';
import { config as notifier } from '../../services/notifier/src/config.ts';
import { config as renewalsService } from '../../services/renewals-service/src/config.ts';
import { config as webhookIngest } from '../../services/webhook-ingest/src/config.ts';
import {
  type Container,
  canRender,
  find,
  type Manifest,
  manifestsIn,
  type Pod,
  podsOf,
  render,
  renderWith,
} from './kustomize.ts';

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

/** As they stand, and production with TLS between the processes. */
type Overlay = 'dev' | 'production' | 'production with TLS';
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
  };
  secrets.production = {
    ops,
    'postgres-app': { uri: 'postgresql://ops_admin:secret@postgres-rw.ops:5432/ops' },
  };
  secrets['production with TLS'] = { ...secrets.production, ...(await madeCertificates()) };
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

/** As cert-manager leaves them. */
async function madeCertificates(): Promise<Record<string, Record<string, string>>> {
  const authority = await makeAuthority();
  const issued = brokerAccounts.map(async (name) => {
    const { cert, key } = await authority.issue(name);
    return [`${name}-tls`, { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.pem }] as const;
  });
  return Object.fromEntries(await Promise.all(issued));
}

test('no manifest is a Secret', async () => {
  const paths = globSync('k8s/**/*.yaml', { cwd: join(import.meta.dirname, '..', '..') });
  const manifests = await Promise.all(paths.map((path) => manifestsIn(relative('k8s', path))));
  expect(manifests.length).toBeGreaterThan(20);
  expect(manifests.flat().filter((one) => one?.kind === 'Secret')).toEqual([]);
});

if (canRender())
  describe.each(['dev', 'production', 'production with TLS'] as const)('as kubectl renders %s', (name) => {
    beforeAll(async () => {
      rendered[name] = name === 'production with TLS' ? await renderWith('tls', 'production') : await render(name);
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
        expect(Object.keys(data).filter((told) => !known.includes(told.replace(/_FILE$/, '')))).toEqual([]);
      }
    });

    test('every container is told all it must be, as it will read it', async () => {
      for (const { pod, container, config } of ofOurs(name)) {
        const env = await environmentOf(name, pod, container);
        expect(() => loadConfig(config, env)).not.toThrow();
      }
    });

    test('each process comes to the broker by its own account, which the broker makes when it starts', async () => {
      for (const account of brokerAccounts) {
        const [{ pod, container }] = ofOurs(name).filter(({ pod }) => pod.name === account) as [Ours];
        const { AMQP_URL_FILE: file = '' } = await environmentOf(name, pod, container);
        expect(new URL(await readFile(file, 'utf8'))).toMatchObject({ username: account, hostname: 'rabbitmq' });
      }
      expect(definitionsOf(name)).toBe('ops rabbitmq_definitions.json');
    });

    test('no secret stands among the settings, and no Secret in the repository', () => {
      const told = rendered[name].filter(isSettings).flatMap(({ data }) => Object.keys(data));
      expect(told.filter((key) => /SECRET|PASSWORD|ACCESS_TOKEN|PRIVATE|AUTH$/.test(key))).toEqual([]);
      expect(rendered[name].filter(({ kind }) => kind === 'Secret')).toEqual([]);
    });

    test('a pod has the time to take its leave and to stop, and longer than connections are kept that nobody uses', () => {
      const drainSeconds = Number(settingsOf(name).DRAIN_SECONDS);
      expect(drainSeconds * 1000).toBeGreaterThan(toldToKeepMs);
      for (const account of brokerAccounts) {
        const { terminationGracePeriodSeconds } = find(rendered[name], 'Deployment', account).spec.template.spec;
        expect(terminationGracePeriodSeconds * 1000).toBeGreaterThan(drainSeconds * 1000 + stopDeadlineMs);
      }
    });

    test('the night of the CronJob is the night of the firm', () => {
      const { OPS_TIME_ZONE: timeZone, REFRESH_CRON } = settingsOf(name);
      const { spec } = find(rendered[name], 'CronJob', 'nightly-refresh');
      expect({ ...spec, REFRESH_CRON }).toMatchObject({ concurrencyPolicy: 'Forbid', timeZone, REFRESH_CRON: 'off' });
    });

    if (name === 'production with TLS')
      test('each process shows a certificate for the name by which the others call it, and is probed by HTTPS', async () => {
        for (const account of brokerAccounts) {
          const [{ pod, container, config }] = ofOurs(name).filter(({ pod }) => pod.name === account) as [Ours];
          const told = loadConfig(config, await environmentOf(name, pod, container)) as z.infer<typeof gatewayConfig>;
          expect(new X509Certificate(told.TLS_CERT ?? '').subjectAltName).toBe(`DNS:${account}`);
          expect(serverCertificate(told)).toBeDefined();
          const addresses = Object.entries(told).filter(([setting]) => setting in serviceAddresses.shape);
          for (const [, url] of addresses) expect(url).toMatch(/^https:/);
          for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
            expect(container[probe].httpGet.scheme).toBe('HTTPS');
          const { secretName, dnsNames } = find(rendered[name], 'Certificate', account).spec;
          expect({ secretName, dnsNames }).toEqual({ secretName: `${account}-tls`, dnsNames: [account] });
        }
        const [refresh] = ofOurs(name).filter(({ container }) => container.name === 'refresh') as [Ours];
        const told = loadConfig(nightlyRefreshConfig, await environmentOf(name, refresh.pod, refresh.container));
        expect([told.GATEWAY_URL, told.TLS_CA]).toEqual(['https://gateway:8080', expect.stringContaining('BEGIN')]);
        const { annotations } = find(rendered[name], 'Ingress', 'gateway').metadata;
        expect(annotations).toMatchObject({ 'nginx.ingress.kubernetes.io/backend-protocol': 'HTTPS' });
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
        const ofServices = 10 * services.reduce((sum, service) => sum + mostReplicas(service) + 1, 0);
        const most = ofServices + 4 * (mostReplicas('gateway') + 1);
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

/** The Secret and the key that lie where the broker is told to find its definitions. */
function definitionsOf(name: Overlay): string | undefined {
  const cluster = rendered[name].find(({ kind }) => kind === 'RabbitmqCluster');
  const told = cluster?.spec.rabbitmq.additionalConfig ?? secrets[name].ops?.['rabbitmq_accounts.conf'];
  const [, path = ''] = /^load_definitions = (.+)$/m.exec(told ?? '') ?? [];
  const { override } = cluster?.spec ?? { override: { statefulSet: find(rendered[name], 'StatefulSet', 'rabbitmq') } };
  const { containers, volumes } = override.statefulSet.spec.template.spec;
  const mounts: { name: string; mountPath: string; subPath?: string }[] = containers[0].volumeMounts;
  const mount = mounts.find(({ mountPath, subPath }) => mountPath === (subPath ? path : dirname(path)));
  const { secret } = volumes.find((one: { name: string }) => one.name === mount?.name);
  const items: { key: string; path: string }[] = secret.items;
  const item = items.find((one) => one.path === (mount?.subPath ?? basename(path)));
  return `${secret.secretName} ${item?.key}`;
}

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
  const own = (container.env ?? []).map(({ name, value = '' }) => [name, value]);
  const told = Object.entries({ ...Object.assign({}, ...maps), ...Object.fromEntries(own) } as Record<string, string>);
  return Object.fromEntries(told.map(([name, value]) => [name, name.endsWith('_FILE') ? join(root, value) : value]));
}

async function mountSecrets(name: Overlay, pod: Pod, container: Container, root: string): Promise<void> {
  for (const { name: volume, mountPath } of container.volumeMounts ?? []) {
    const { projected, secret } = pod.spec.volumes.find((one: { name: string }) => one.name === volume);
    const alone = secret && [{ secret: { ...secret, name: secret.secretName } }];
    for (const { secret } of alone ?? projected?.sources ?? []) {
      const all = Object.keys(secrets[name][secret.name] ?? {}).map((key) => ({ key, path: key }));
      for (const { key, path } of secret.items ?? all)
        await mount(join(root, mountPath, path), secrets[name][secret.name]?.[key], `${key} of Secret ${secret.name}`);
    }
  }
}

async function mount(file: string, value: string | undefined, name: string): Promise<void> {
  if (value === undefined) throw new Error(`nobody makes ${name}`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, value);
}
