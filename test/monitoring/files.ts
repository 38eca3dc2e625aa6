import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: 'critical' | 'warning' };
  annotations: { summary: string; runbook_url: string };
}

interface Link {
  title: string;
  url: string;
}

interface Target {
  expr: string;
  legendFormat?: string;
  datasource: { uid: string };
}

export interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  links?: Link[];
  targets?: Target[];
  options?: { content?: string };
  fieldConfig?: { defaults: { unit: string; thresholds: { steps: { color: string; value: number | null }[] } } };
}

export interface Dashboard {
  uid: string;
  title: string;
  templating: { list: { name: string; query: { query: string } }[] };
  panels: Panel[];
}

const root = join(import.meta.dirname, '..', '..');
export const file = (path: string) => join(root, path);
export const text = (path: string) => readFile(file(path), 'utf8');

export async function readRules(): Promise<Rule[]> {
  const { groups } = parse(await text('monitoring/alerts.yaml')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules);
}

export const dashboards = 'monitoring/grafana/dashboards';

export async function readDashboards(): Promise<Dashboard[]> {
  const names = (await readdir(file(dashboards))).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await text(join(dashboards, name)))));
}

/** As Grafana asks, with every variable at its widest. */
export const asAsked = (expr: string, rateInterval = '1m') =>
  expr.replaceAll('$__rate_interval', rateInterval).replaceAll('$service', '.*');
