import { execFileSync, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { serviceNames } from '@ops/contracts/routes';
import { type System, startSystem } from '@ops/test-kit/system';
import { parse } from 'yaml';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

const root = new URL('../../', import.meta.url);
const file = (path: string) => new URL(path, root).pathname;
const text = (path: string) => readFile(file(path), 'utf8');

let rules: Rule[];
let system: System;

beforeAll(async () => {
  const { groups } = parse(await text('monitoring/alerts.yaml')) as { groups: { rules: Rule[] }[] };
  rules = groups.flatMap((group) => group.rules);
  system = await startSystem({ bus: 'postgres' });
}, 120_000);
afterAll(() => system?.stop());

test('each alert is explained in the runbook under its own name, and nothing else is', async () => {
  const headings = [...(await text('docs/runbook.md')).matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, labels, annotations } of rules) {
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    expect(['critical', 'warning']).toContain(labels.severity);
  }
});

test('an alert asks for metrics that the processes show', async () => {
  const shown = await Promise.all(
    (['gateway', ...serviceNames] as const).map(async (name) => (await fetch(system.metricsUrl(name))).text()),
  );
  const known = new Set(shown.flatMap((all) => [...all.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)));
  // Every name of ours has an underscore and is followed by its labels, a range or an operator.
  const asked = rules.flatMap(({ expr }) =>
    [...expr.replace(/"[^"]*"/g, '').matchAll(/\b[a-z]+(?:_[a-z]+)+\b(?![a-z_]*\()/g)].map(([name]) => name),
  );
  const metrics = asked.map((name) => name.replace(/_(bucket|count)$/, ''));
  expect(metrics.filter((name) => !known.has(name))).toEqual([]);
  expect(metrics.length).toBeGreaterThanOrEqual(rules.length - 1);
});

if (spawnSync('promtool', ['--version']).status === 0) {
  test('the rules fire when they should, by Prometheus’ own judgement', () => {
    const promtool = (...args: string[]) => execFileSync('promtool', args, { encoding: 'utf8' });
    expect(promtool('check', 'rules', file('monitoring/alerts.yaml'))).toContain(`${rules.length} rules found`);
    expect(promtool('test', 'rules', file('monitoring/alerts.test.yaml'))).toContain('SUCCESS');
  });
} else console.log('promtool (Debian: prometheus) is not here: when the alerts fire is not evaluated');

test('each alert is put to the test', async () => {
  const { tests } = parse(await text('monitoring/alerts.test.yaml')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  const fired = tests.flatMap((one) => one.alert_rule_test.filter(({ exp_alerts }) => exp_alerts.length > 0));
  expect(new Set(fired.map(({ alertname }) => alertname))).toEqual(new Set(rules.map(({ alert }) => alert)));
});
