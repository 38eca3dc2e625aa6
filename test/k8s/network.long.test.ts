import { beforeAll, expect, test } from '@jest/globals';
import { internalRoutes } from '@ops/contracts/internal-routes';
import { serviceNames } from '@ops/contracts/routes';
import { find, type Manifest, overlay, render } from './kustomize.ts';
import { podsOf } from './pods.ts';

interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
}
interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except: string[] };
}
interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: { port: number; protocol: string }[];
}
interface Policy {
  podSelector: Selector;
  policyTypes: string[];
  ingress?: Rule[];
  egress?: Rule[];
}
interface Endpoint {
  name: string;
  labels: Record<string, string>;
}

/** Of the servers that operators start, with the labels that they and our custom resources give them. */
const servers: Endpoint[] = [
  { name: 'postgres', labels: { 'cnpg.io/cluster': 'postgres', 'ops/server': 'postgres' } },
  { name: 'rabbitmq', labels: { 'app.kubernetes.io/name': 'rabbitmq' } },
];
const ports = [5432, 5672, 8080, 9000, 9090, 2525, 22];

const manifests: Record<string, Manifest[]> = {};
beforeAll(async () => {
  for (const name of ['dev', 'production']) manifests[name] = await render(overlay(name));
});

const policiesOf = (name: string) =>
  (manifests[name] ?? []).filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec as Policy);

function endpointsOf(name: string): Endpoint[] {
  const pods = podsOf(manifests[name] ?? []);
  return [...pods, ...servers.filter((server) => !pods.some((pod) => pod.name === server.name))];
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Record<string, string>): boolean {
  for (const { operator } of matchExpressions) if (operator !== 'In') throw new Error(`${operator} is not known here`);
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

const rulesFor = (name: string, way: 'ingress' | 'egress', { labels }: Endpoint): Rule[] =>
  policiesOf(name)
    .filter(({ podSelector }) => selects(podSelector, labels))
    .flatMap((policy) => policy[way] ?? []);

const reaches = (rules: Rule[], way: 'from' | 'to', { labels }: Endpoint, port: number): boolean =>
  rules.some(
    (rule) =>
      (rule.ports ?? [{ port }]).some((one) => one.port === port) &&
      (rule[way] ?? [{ podSelector: {} }]).some(
        ({ podSelector, namespaceSelector }) => podSelector && !namespaceSelector && selects(podSelector, labels),
      ),
  );

/** Who may speak to whom, where: `from -> to:port`. */
function edgesOf(name: string): string[] {
  const endpoints = endpointsOf(name);
  return endpoints.flatMap((from) =>
    endpoints.flatMap((to) =>
      ports
        .filter((port) => reaches(rulesFor(name, 'egress', from), 'to', to, port))
        .filter((port) => reaches(rulesFor(name, 'ingress', to), 'from', from, port))
        .map((port) => `${from.name} -> ${to.name}:${port}`),
    ),
  );
}

/** What the code does: the gateway leads to every service, services ask each other what their table says. */
function neededEdges(): string[] {
  const asked = Object.values(internalRoutes).flatMap(({ owner, callers }) =>
    (owner === 'every' ? serviceNames : [owner]).flatMap((to) =>
      callers.filter((from) => from !== to).map((from) => `${from} -> ${to}:8080`),
    ),
  );
  return [
    'nightly-refresh -> gateway:8080',
    ...serviceNames.map((name) => `gateway -> ${name}:8080`),
    ...new Set(asked),
    ...[...serviceNames, 'migrate'].map((name) => `${name} -> postgres:5432`),
    ...[...serviceNames, 'gateway'].map((name) => `${name} -> rabbitmq:5672`),
  ];
}

test('dev: pods speak to each other as the code does, and no more', () => {
  const simulated = [
    'provider-sim -> gateway:8080',
    'notifier -> provider-sim:8080',
    'notifier -> provider-sim:2525',
    'comms-service -> provider-sim:8080',
    'nightly-refresh -> gateway:9000',
    'demo-seed -> gateway:8080',
    'demo-seed -> gateway:9000',
    'demo-seed -> provider-sim:8080',
  ];
  expect(edgesOf('dev').sort()).toEqual([...neededEdges(), ...simulated].sort());
});

test('production: pods speak to each other as the code does, and no more', () => {
  const amongThemselves = servers.flatMap(({ name }) => ports.map((port) => `${name} -> ${name}:${port}`));
  expect(edgesOf('production').sort()).toEqual([...neededEdges(), ...amongThemselves].sort());
});

/** By address: what a pod may reach outside the cluster. */
const outsideOf = (name: string) =>
  Object.fromEntries(
    endpointsOf(name).flatMap((endpoint) => {
      const rules = rulesFor(name, 'egress', endpoint).filter(
        ({ to }) => to === undefined || to.some(({ ipBlock }) => ipBlock),
      );
      const reached = rules.flatMap((rule): (number | string)[] => rule.ports?.map(({ port }) => port) ?? ['any']);
      return reached.length > 0 ? [[endpoint.name, reached]] : [];
    }),
  );

test('only who speaks to providers or the identity provider reaches the outside', () => {
  expect(outsideOf('dev')).toEqual({});
  expect(outsideOf('production')).toEqual({
    gateway: [443],
    'comms-service': [443],
    notifier: [443, 465, 587],
    'nightly-refresh': [443],
    // Their operators' own business.
    postgres: ['any'],
    rabbitmq: ['any'],
  });
});

test('nobody reaches the networks inside, or the keeper of the machines’ credentials, as though it were the outside', () => {
  const blocks = policiesOf('production').flatMap(({ egress = [] }) =>
    egress.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? [])),
  );
  for (const { cidr, except } of blocks)
    expect(except).toEqual(
      expect.arrayContaining(
        cidr.includes(':') ? ['fc00::/7', 'fe80::/10'] : ['10.0.0.0/8', '169.254.0.0/16', '192.168.0.0/16'],
      ),
    );
});

/** From other namespaces, by their names. */
const comingInto = (name: string, endpoint: string) => {
  const { labels } = endpointsOf(name).find((one) => one.name === endpoint) as Endpoint;
  return rulesFor(name, 'ingress', { name: endpoint, labels }).flatMap(({ from = [], ports: open = [] }) =>
    from.flatMap(({ namespaceSelector }) =>
      namespaceSelector
        ? open.map(({ port }) => `${namespaceSelector.matchLabels?.['kubernetes.io/metadata.name']}:${port}`)
        : [],
    ),
  );
};

test('from elsewhere in the cluster comes what reads metrics, and to the gateway what strangers ask', () => {
  for (const name of serviceNames) expect(comingInto('production', name)).toEqual(['monitoring:9090']);
  expect(comingInto('production', 'gateway').sort()).toEqual(['ingress-nginx:8080', 'monitoring:9090']);
  expect(comingInto('production', 'nightly-refresh')).toEqual([]);
});

test.each(['dev', 'production'])('%s: what no policy names goes nowhere', (name) => {
  expect(find(manifests[name] ?? [], 'NetworkPolicy', 'default-deny').spec).toEqual({
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
  });
});
