import { headersOf, type TracingSettings } from '../observing/tracing.ts';
import { causeOf } from './cause.ts';
import { type Check, type Line, ok, warning } from './finding.ts';
import { ask } from './question.ts';

const name = 'traces';

/** Where spans go, if anywhere: told of none, a collector that is well says yes. Nothing relies on it, so it never fails. */
export function collectorChecks(settings: TracingSettings, timeoutMs: number): Check[] {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
  if (endpoint === undefined) return [];
  return [{ name, fix: '', run: async () => [await lineOf(endpoint, headers, timeoutMs)] }];
}

async function lineOf(endpoint: string, headers: string | undefined, timeoutMs: number): Promise<Line> {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const fix =
    'OTEL_EXPORTER_OTLP_ENDPOINT is a collector that takes OTLP over HTTP (port 4318 as a rule); or leave it out';
  try {
    const { status } = await ask(url, timeoutMs, {
      method: 'POST',
      headers: { ...(headers && headersOf(headers)), 'content-type': 'application/json' },
      body: '{"resourceSpans":[]}',
    });
    if (status === 200) return ok(name, `taken at ${url}`);
    const refused = status === 401 || status === 403;
    return warning(name, `${url} answered ${status}`, refused ? 'OTEL_EXPORTER_OTLP_HEADERS must hold its key' : fix);
  } catch (error) {
    return warning(name, `${url}: ${causeOf(error)}`, fix);
  }
}
