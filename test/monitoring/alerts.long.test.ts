import { execFileSync } from 'node:child_process';
import { beforeAll, expect, test } from '@jest/globals';
import { findPrometheus } from '@ops/test-kit/prometheus';
import { parse } from 'yaml';
import { file, type Rule, readRules, text } from './files.ts';

let rules: Rule[];
beforeAll(async () => {
  rules = await readRules();
});

test('each alert is explained in the runbook under its own name, and nothing else is', async () => {
  const headings = [...(await text('docs/runbook.md')).matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, labels, annotations } of rules) {
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    expect(['critical', 'warning']).toContain(labels.severity);
  }
});

const programs = await findPrometheus();
if (programs) {
  test('the rules fire when they should, by Prometheus’ own judgement', () => {
    const promtool = (...args: string[]) => execFileSync(programs.promtool, args, { encoding: 'utf8' });
    expect(promtool('check', 'rules', file('monitoring/alerts.yaml'))).toContain(`${rules.length} rules found`);
    expect(promtool('test', 'rules', file('monitoring/alerts.test.yaml'))).toContain('SUCCESS');
  });
} else console.log('promtool (Debian: prometheus) cannot be had here: when the alerts fire is not evaluated');

test('each alert is put to the test', async () => {
  const { tests } = parse(await text('monitoring/alerts.test.yaml')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  const fired = tests.flatMap((one) => one.alert_rule_test.filter(({ exp_alerts }) => exp_alerts.length > 0));
  expect(new Set(fired.map(({ alertname }) => alertname))).toEqual(new Set(rules.map(({ alert }) => alert)));
});
