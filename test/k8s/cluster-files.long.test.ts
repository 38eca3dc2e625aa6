import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { internalRoutes } from '@ops/contracts/internal-routes';
import { serviceNames } from '@ops/contracts/routes';
import { parse } from 'yaml';
import { find, manifestsIn } from './kustomize.ts';

/** What has to say the same in two places. Of what these files mean to a cluster, nothing but a cluster can judge. */
const monitoring = join(import.meta.dirname, '..', '..', 'monitoring');
const read = (path: string) => readFile(join(monitoring, path), 'utf8');

interface Rule {
  ports: object[];
  from?: Peer[];
  to?: Peer[];
}
interface Peer {
  podSelector?: { matchLabels: Record<string, string> };
  ipBlock?: { cidr: string; except: string[] };
}

test.each(serviceNames)('%s is let in and let out as the tables of routes say', async (name) => {
  const policies = await manifestsIn('base/network-policies.yaml');
  const everybody: Peer = {};
  const named = (peers: Peer[]) => peers.map((peer) => peer.podSelector?.matchLabels['app.kubernetes.io/name']);
  const { podSelector, ingress = [], egress = [] } = find(policies, 'NetworkPolicy', name).spec;
  expect(podSelector).toEqual({ matchLabels: { 'app.kubernetes.io/name': name } });
  for (const { ports } of [...ingress, ...egress] as Rule[]) expect(ports).toEqual([{ port: 8080, protocol: 'TCP' }]);
  const routes = Object.values(internalRoutes);
  const callers = routes.filter(({ owner }) => owner === name || owner === 'every').flatMap((route) => route.callers);
  const asked = routes
    .filter((route) => (route.callers as string[]).includes(name))
    .flatMap(({ owner }) => (owner === 'every' ? serviceNames : [owner]));
  const others = (names: readonly string[]) => [...new Set(names)].filter((other) => other !== name).sort();
  expect({
    from: (ingress as Rule[]).flatMap(({ from = [everybody] }) => named(from)).sort(),
    to: (egress as Rule[]).flatMap(({ to = [everybody] }) => named(to)).sort(),
  }).toEqual({ from: others(['gateway', ...callers]), to: others(asked) });
});

test('what no policy names goes nowhere', async () => {
  const policies = await manifestsIn('base/network-policies.yaml');
  expect(find(policies, 'NetworkPolicy', 'default-deny').spec).toEqual({
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
  });
});

test('the gateway reaches every service', async () => {
  const gateway = find(await manifestsIn('base/network-policies.yaml'), 'NetworkPolicy', 'gateway');
  for (const name of serviceNames) expect(JSON.stringify(gateway.spec.egress)).toContain(`"${name}"`);
});

test('nobody reaches the networks inside, or the keeper of the machines’ credentials, as though it were the outside', async () => {
  const policies = await manifestsIn('overlays/production/network-policies.yaml');
  const peers = policies.flatMap(({ spec }) => (spec.egress as Rule[] | undefined)?.flatMap(({ to = [] }) => to) ?? []);
  const blocks = peers.flatMap(({ ipBlock }) => ipBlock ?? []);
  expect(blocks.length).toBeGreaterThan(0);
  for (const { cidr, except } of blocks)
    expect(except).toEqual(
      expect.arrayContaining(
        cidr.includes(':') ? ['fc00::/7', 'fe80::/10'] : ['10.0.0.0/8', '169.254.0.0/16', '192.168.0.0/16'],
      ),
    );
});

test('the rules of the cluster are those of everybody', async () => {
  const rules = await manifestsIn('components/monitoring/rules.yaml');
  expect(find(rules, 'PrometheusRule', 'ops').spec.groups).toEqual(parse(await read('alerts.yaml')).groups);
});

test('the processes are asked by the job that the rules know', async () => {
  const [monitor] = await manifestsIn('components/monitoring/pod-monitor.yaml');
  const { scrape_configs } = parse(await read('prometheus.yaml'));
  expect(monitor?.spec.podMetricsEndpoints[0].relabelings).toContainEqual({
    targetLabel: 'job',
    replacement: scrape_configs[0].job_name,
  });
});

test('every dashboard is taken along', async () => {
  const { configMapGenerator } = parse(await read('grafana/kustomization.yaml')) as {
    configMapGenerator: { files: string[] }[];
  };
  const names = (await readdir(join(monitoring, 'grafana/dashboards'))).map((name) => `dashboards/${name}`);
  expect(configMapGenerator.flatMap(({ files }) => files).sort()).toEqual(names.sort());
});
