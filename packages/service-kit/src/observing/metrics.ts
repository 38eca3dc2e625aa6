import type { RequestListener } from 'node:http';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  requestDuration: Histogram<'method' | 'route' | 'status'>;
}

/** One registry for a process. `route` is the path as the contracts write it, so an id never becomes a label. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const requestDuration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its response',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return { registry, requestDuration };
}

interface Shown<L extends string> {
  name: string;
  help: string;
  labelNames?: readonly L[];
}

/** A figure that a process keeps itself, read whenever it is asked for. */
export function showGauge<L extends string = never>(
  registry: Registry,
  shown: Shown<L>,
  read: () => readonly { labels: Record<L, string>; value: number }[],
): void {
  new Gauge({
    ...shown,
    labelNames: shown.labelNames ?? [],
    registers: [registry],
    collect() {
      for (const { labels, value } of read()) this.set(labels, value);
    },
  });
}

/** What answers on the internal port: metrics, and nothing else. */
export const metricsListener =
  ({ registry }: Metrics): RequestListener =>
  async (req, res) => {
    if (req.url !== '/metrics') {
      res.writeHead(404).end();
      return;
    }
    res.writeHead(200, { 'Content-Type': registry.contentType }).end(await registry.metrics());
  };
