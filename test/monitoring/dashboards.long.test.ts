import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rungs } from '@ops/contracts/resources/renewal';
import { serviceNames } from '@ops/contracts/routes';
import { eventually } from '@ops/test-kit/eventually';
import { readMetrics } from '@ops/test-kit/metrics';
import { findPrometheus, type Prometheus } from '@ops/test-kit/prometheus';
import type { System } from '@ops/test-system/system';
import { parse } from 'yaml';
import { startBusySystem } from './busy-system.ts';
import {
  asAsked,
  type Dashboard,
  dashboards,
  file,
  type Panel,
  type Rule,
  readDashboards,
  readRules,
  text,
} from './files.ts';
import { hastened, startHastened } from './hastened.ts';
import { runbookDashboard } from './runbook-dashboard.ts';

let rules: Rule[];
let boards: Dashboard[];
let system: System;

beforeAll(async () => {
  [rules, boards, system] = await Promise.all([readRules(), readDashboards(), startBusySystem()]);
});
afterAll(() => system?.stop());

const panels = () => boards.flatMap((board) => board.panels.map((panel) => ({ board, panel })));
const targets = () =>
  panels().flatMap(({ board, panel }) =>
    (panel.targets ?? []).map((target) => ({ name: `${board.title}: ${panel.title}`, target })),
  );

test('a gateway tells how many screens are open, a notifier whom it leaves alone', async () => {
  const [gateway, notifier] = await Promise.all([
    readMetrics(system.metricsUrl('gateway')),
    readMetrics(system.metricsUrl('notifier')),
  ]);
  expect(gateway('live_streams_open')).toBe(1);
  for (const provider of ['cloud-api', 'twilio', 'smtp']) expect(notifier('provider_left_alone', { provider })).toBe(0);
});

test('of each rung it is told from the beginning how many renewals were alerted of', async () => {
  const renewals = await readMetrics(system.metricsUrl('renewals-service'));
  const fired = rungs.map((rung) => [rung, renewals('renewals_alerts_fired_total', { rung })]);
  expect(Object.fromEntries(fired)).toEqual({ '90': 0, '60': 0, '30': 0, '14': 0, '7': 1, OVERDUE: 0 });
});

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
  expect(new Set(targets().map(({ target }) => target.datasource.uid))).toEqual(new Set([uid]));
  const said = JSON.stringify(boards).matchAll(/"datasource":\{"type":"prometheus","uid":"([^"]+)"/g);
  expect(new Set([...said].map(([, name]) => name))).toEqual(new Set([uid]));
});

test('a panel turns to its colour where its alert comes', () => {
  const linked = panels().flatMap(({ panel }) =>
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
  // Not? node test/monitoring/runbook-dashboard.ts
  expect(JSON.parse(await runbookDashboard())).toEqual(
    JSON.parse(await readFile(file(`${dashboards}/runbook.json`), 'utf8')),
  );
  const runbook = boards.find(({ uid }) => uid === 'ops-runbook') as Dashboard;
  for (const { title, url } of panels().flatMap(({ panel }) => panel.links ?? [])) {
    const panel = runbook.panels.find(({ id }) => url === `/d/ops-runbook?viewPanel=panel-${id}`);
    expect(`Runbook: ${panel?.title}`).toBe(title);
  }
  const texts = runbook.panels.map(({ options }) => options?.content ?? '');
  expect(texts.join('\n')).not.toMatch(/\(#|panel-0/);
});

if (await findPrometheus())
  describe('over a running system', () => {
    let prometheus: Prometheus;
    beforeAll(async () => {
      prometheus = await startHastened(system);
    });
    afterAll(() => prometheus?.stop());

    interface Answer {
      result: { metric: Record<string, string> }[];
    }
    const query = async (expr: string) =>
      (await prometheus.get<Answer>('query', { query: hastened(asAsked(expr, '10s')) })).result;

    /** Nothing to be seen is what these hope for. */
    const mayBeEmpty = /ALERTS|outcome!="done"|^sum by \(service, method, route\) .*status=~|offset 1h/;

    test('every panel has something to show, under the names that its legend asks for', async () => {
      for (const { name, target } of targets()) {
        const wanted = [...(target.legendFormat ?? '').matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label as string);
        await eventually(async () => {
          const series = await query(target.expr);
          const without = series.flatMap(({ metric }) => wanted.filter((label) => !(label in metric)));
          expect({ name, without, empty: series.length === 0 && !mayBeEmpty.test(target.expr) }).toEqual({
            name,
            without: [],
            empty: false,
          });
        });
      }
    });

    /** A label that nobody shows would make a rule silent for ever. */
    test('every rule, and every panel, chooses by labels that are shown', async () => {
      const all = [...rules.map(({ expr }) => expr), ...targets().map(({ target }) => target.expr)];
      const chosen = all.flatMap((expr) =>
        [...expr.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, metric, choice = '']) =>
          [...choice.matchAll(/(\w+)!?[=~]/g)].map(([, label]) => `${metric}{${label}!=""}`),
        ),
      );
      for (const asked of new Set(chosen.filter((one) => !one.startsWith('ALERTS'))))
        await eventually(async () => expect([asked, await query(asked)]).not.toEqual([asked, []]));
    });

    test('every rule has something to look at, whatever it chooses and wherever its limit is', async () => {
      for (const { alert, expr } of rules.filter(({ expr }) => !expr.startsWith('absent'))) {
        const open = expr.replaceAll(/\{[^}]*\}/g, '').replace(/ (>|==) (?!.*(>|==)).*$/s, '');
        await eventually(async () => expect([alert, await query(open)]).not.toEqual([alert, []]));
      }
    });

    test('every variable finds its values', async () => {
      const variables = boards.flatMap(({ templating }) => templating.list);
      expect(variables.map(({ name }) => name)).toEqual(['service']);
      for (const { query: asked } of variables) {
        const [, selector = '', label] = /^label_values\((.+), (\w+)\)$/.exec(asked.query) ?? [];
        const values = await prometheus.get<string[]>(`label/${label}/values`, { 'match[]': selector });
        expect(values).toEqual(['gateway', ...serviceNames].sort());
      }
    });
  });
else console.log('prometheus (Debian: prometheus) cannot be had here: what the dashboards ask it is only read');
