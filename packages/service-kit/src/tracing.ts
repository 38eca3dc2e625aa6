import { hostname } from 'node:os';
import { trace } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { z } from 'zod';
import type { Logger } from './logger.ts';
import { withinTime } from './within-time.ts';

/** Named as OpenTelemetry names them. */
export const tracingSettings = z.object({
  /** Where spans are sent, by OTLP over HTTP; not given: nowhere. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'an http:// or https:// address of a collector' })
    .optional(),
  /** `name=value,name=value`, as a collector that is not ours may ask for a key. */
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, 'name=value, several separated by commas')
    .optional(),
  /** Which share of the traces that begin here is told of. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number('a share from 0 to 1').min(0).max(1).default(1),
});
export type TracingSettings = z.infer<typeof tracingSettings>;

export interface Tracing {
  /** Sends what is left. */
  stop(): Promise<void>;
}

/** Room for the burst that a night's alerts are. */
const pace = { scheduledDelayMillis: 1_000, maxQueueSize: 16_384, maxExportBatchSize: 1_024 };

/** What a collector that is away may hold up at the end. */
const lastSendMs = 2_000;

/**
 * From here on this process tells what it does (see the bus's `spans.ts`). Spans wait in memory for their collector and are
 * dropped when it does not come: nothing anybody relies on ever waits for them.
 */
export async function startTracing(service: string, settings: TracingSettings, logger: Logger): Promise<Tracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
  if (endpoint === undefined) return { stop: async () => undefined };
  const sdk = await import('@opentelemetry/sdk-trace');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    ...(headers !== undefined && { headers: headersOf(headers) }),
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.instance.id': hostname() }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: told(exporter, logger), ...pace })],
  });
  trace.setGlobalTracerProvider(provider);
  const ending = () => provider.shutdown();
  return { stop: () => withinTime(ending(), lastSendMs).catch(() => undefined) };
}

export const headersOf = (given: string): Record<string, string> =>
  Object.fromEntries(
    given.split(',').map((one) => {
      const at = one.indexOf('=');
      return [one.slice(0, at).trim(), decodeURIComponent(one.slice(at + 1).trim())];
    }),
  );

/** The same exporter, which says when the collector stops taking spans and when it takes them again, and not each time. */
function told(exporter: SpanExporter, logger: Logger): SpanExporter {
  let away = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !away) logger.warn({ err: result.error }, 'traces are not taken; they are dropped meanwhile');
        if (!failed && away) logger.info('traces are taken again');
        away = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() as Promise<void> }),
  };
}
