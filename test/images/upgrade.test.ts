import { expect, test } from '@jest/globals';
import { manifestsIn } from '../k8s/kustomize.ts';
import { compose, read } from './compose.ts';

/** The names of processes in a command, however it is written. */
const named = (commands: readonly string[], all: readonly string[]) =>
  commands.flatMap((command) => command.split(/[^a-z-]+/).filter((word) => all.includes(word)));

const section = (document: string, heading: string) =>
  read(document)
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`)) ?? '';

const ours = Object.entries(compose.services).filter(([, { build, profiles }]) => build && !profiles);

test('an upgrade replaces every process once, whoever understands an event before whoever tells of it to them', () => {
  const commands = section('docs/compose.md', 'Upgrade').match(/^docker compose up .*--no-deps .*$/gm) ?? [];
  const names = ours.map(([name]) => name);
  expect(named(commands, names).sort()).toEqual(names.sort());
  expect(commands.map((command) => named([command], names))).toEqual([
    ['migrate'],
    ['comms-service', 'renewals-service', 'notifier'],
    ['webhook-ingest', 'gateway'],
  ]);
});

test('what is stopped on a cluster is started again, and nothing that takes webhooks is stopped', async () => {
  const commands =
    section('docs/kubernetes.md', 'A new version').match(/^kubectl .*(scale|wait --for delete) .*$/gm) ?? [];
  const deployments = ours.map(([name]) => name).filter((name) => name !== 'migrate');
  const [stopped, waited, started] = commands.map((command) => named([command], deployments).sort());
  expect(stopped).toEqual(['comms-service', 'notifier', 'renewals-service']);
  expect([waited, started]).toEqual([stopped, stopped]);
  const autoscalers = await manifestsIn('overlays/production/availability.yaml');
  for (const { kind, spec } of autoscalers)
    if (kind === 'HorizontalPodAutoscaler')
      expect(commands.at(-1)).toMatch(new RegExp(`--replicas ${spec.minReplicas}$`));
});
