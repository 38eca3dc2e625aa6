import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { type Dashboard, dashboards, file, type Panel, type Rule, readDashboards, readRules, text } from './files.ts';
import { runbookDashboard } from './runbook-dashboard.ts';

const rules = await readRules();
const boards = await readDashboards();
const panels = boards.flatMap((board) => board.panels);

test('dashboards and panels are told apart, and a panel says what it shows and in what', () => {
  const uids = boards.map(({ uid }) => uid);
  expect(uids.toSorted()).toEqual(['ops-nothing-lost', 'ops-processes', 'ops-providers', 'ops-runbook']);
  for (const { panels: all } of boards) {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(overlapping(all)).toEqual([]);
    for (const { type, title, description, fieldConfig } of all) {
      if (type === 'row' || type === 'text') continue;
      expect(title).not.toBe('');
      expect(description).toMatch(/^[A-Z0-9].*\.$/s);
      expect(fieldConfig?.defaults.unit).toEqual(expect.any(String));
    }
  }
});

const overlapping = (all: readonly Panel[]) =>
  all.flatMap((one, n) => all.slice(n + 1).filter((other) => overlap(one.gridPos, other.gridPos)));
type Place = Panel['gridPos'];
const overlap = (a: Place, b: Place) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

test('all ask the datasource that is provisioned', async () => {
  const provisioned = parse(await text('monitoring/grafana/provisioning/datasources/prometheus.yaml'));
  const [{ uid }] = provisioned.datasources;
  expect(new Set(panels.flatMap(({ targets = [] }) => targets.map(({ datasource }) => datasource.uid)))).toEqual(
    new Set([uid]),
  );
  const said = JSON.stringify(boards).matchAll(/"datasource":\{"type":"prometheus","uid":"([^"]+)"/g);
  expect(new Set([...said].map(([, name]) => name))).toEqual(new Set([uid]));
});

test('a panel turns to its colour where its alert comes', () => {
  const linked = panels.flatMap((panel) =>
    (panel.links ?? []).map(({ title }) => ({ panel, alert: title.replace('Runbook: ', '') })),
  );
  for (const { panel, alert } of linked) {
    const rule = rules.find((one) => one.alert === alert) as Rule;
    const steps = panel.fieldConfig?.defaults.thresholds.steps ?? [];
    const limit = limitOf(rule);
    if (steps.length === 1 || limit === undefined) continue;
    expect({ alert, ...steps.at(-1) }).toEqual({
      alert,
      value: limit,
      color: rule.labels.severity === 'critical' ? 'red' : 'orange',
    });
  }
  const reached = new Set(linked.map(({ alert }) => alert));
  // Of these there is nothing to show: the panel of NightMissed says "never", and the others are of who did what, not of the work.
  const ofPeople = ['ManyRefused', 'WebhooksRefused', 'SignInsFail', 'AuditChainBroken', 'AuditNotSealed'];
  expect(rules.map(({ alert }) => alert).filter((alert) => !reached.has(alert))).toEqual([
    'NightNeverCame',
    ...ofPeople,
  ]);
});

/** `> 26 * 3600`; more than none is one, of what is counted. */
function limitOf({ expr }: Rule): number | undefined {
  const [, factors] = /> ([\d.* ]+)\s*$/.exec(expr) ?? [];
  if (factors === undefined) return undefined;
  return factors.split('*').reduce((product, factor) => product * Number(factor), 1) || 1;
}

test('the runbook’s dashboard is the runbook, and links lead to its parts', async () => {
  // Not? node test/monitoring/runbook-dashboard.ts && biome check --write monitoring
  expect(JSON.parse(await runbookDashboard())).toEqual(
    JSON.parse(await readFile(file(`${dashboards}/runbook.json`), 'utf8')),
  );
  const runbook = boards.find(({ uid }) => uid === 'ops-runbook') as Dashboard;
  for (const { title, url } of panels.flatMap(({ links = [] }) => links)) {
    const panel = runbook.panels.find(({ id }) => url === `/d/ops-runbook?viewPanel=panel-${id}`);
    expect(`Runbook: ${panel?.title}`).toBe(title);
  }
  const texts = runbook.panels.map(({ options }) => options?.content ?? '');
  expect(texts.join('\n')).not.toMatch(/\(#|panel-0/);
});
