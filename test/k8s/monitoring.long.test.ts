import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { serviceNames } from '@ops/contracts/routes';
import { parse } from 'yaml';
import { find, type Manifest, overlay, render } from './kustomize.ts';
import { podsOf } from './pods.ts';

const monitoring = join(import.meta.dirname, '..', '..', 'monitoring');
const read = (path: string) => readFile(join(monitoring, path), 'utf8');

let manifests: Manifest[];
beforeAll(async () => {
  manifests = await render(overlay('production'));
});

test('the rules of the cluster are those of everybody', async () => {
  const { groups } = parse(await read('alerts.yaml'));
  expect(find(manifests, 'PrometheusRule', 'ops').spec.groups).toEqual(groups);
});

test('the five processes are asked, by the name the rules know them by and as often as elsewhere', async () => {
  const { selector, podMetricsEndpoints } = find(manifests, 'PodMonitor', 'ops').spec;
  const [[label, value]] = Object.entries(selector.matchLabels) as [[string, string]];
  const pods = podsOf(manifests).filter(({ labels }) => labels[label] === value);
  expect(pods.map(({ name }) => name).sort()).toEqual(['gateway', ...serviceNames].sort());
  const { global, scrape_configs } = parse(await read('prometheus.yaml'));
  const [{ port, interval, relabelings }] = podMetricsEndpoints;
  for (const { containers } of pods)
    expect(containers.flatMap(({ ports }) => ports)).toContainEqual({ name: port, containerPort: 9090 });
  expect(interval).toBe(global.scrape_interval);
  expect(relabelings).toContainEqual({ targetLabel: 'job', replacement: scrape_configs[0].job_name });
});

test('every dashboard is there, as it is, where Grafana looks', async () => {
  const names = (await readdir(join(monitoring, 'grafana/dashboards'))).sort();
  const shown = manifests.filter(({ metadata }) => metadata.labels?.grafana_dashboard === '1');
  const data = Object.assign({}, ...shown.map((one) => one.data));
  expect(Object.keys(data).sort()).toEqual(names);
  for (const name of names) expect(data[name]).toBe(await read(`grafana/dashboards/${name}`));
});

test('a cluster without the operator can do without', async () => {
  const groups = (await render(overlay('dev'))).map(({ apiVersion }) => apiVersion);
  expect(groups).not.toContain('monitoring.coreos.com/v1');
});
