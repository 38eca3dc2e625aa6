import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rungs } from '@ops/contracts/resources/renewal';
import { serviceNames } from '@ops/contracts/routes';
import { eventually } from '@ops/test-kit/eventually';
import { readMetrics } from '@ops/test-kit/metrics';
import { findPrometheus, type Prometheus } from '@ops/test-kit/prometheus';
import type { System } from '@ops/test-system/system';
import { startBusySystem } from './busy-system.ts';
import { asAsked, readDashboards, readRules } from './files.ts';
import { hastened, startHastened } from './hastened.ts';

const rules = await readRules();
const boards = await readDashboards();
let system: System;

beforeAll(async () => {
  system = await startBusySystem();
});
afterAll(() => system?.stop());

const targets = boards.flatMap(({ title: board, panels }) =>
  panels.flatMap(({ title, targets: asked = [] }) => asked.map((target) => ({ name: `${board}: ${title}`, target }))),
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
      for (const { name, target } of targets) {
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
      const all = [...rules.map(({ expr }) => expr), ...targets.map(({ target }) => target.expr)];
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
