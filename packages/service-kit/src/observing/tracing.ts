import { hostname } from 'node:os';
import { DiagLogLevel, diag, trace } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { z } from 'zod';
import { withinTime } from '../within-time.ts';
import type { Logger } from './logger.ts';

/** Named as OpenTelemetry names them. */
export const tracingSettings = z.object({
  /** Where spans are sent, by OTLP over HTTP; not given: nowhere. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'an http:// or https:// address of a collector' })
    .optional(),
  /** `name=value,name=value`, as a collector that is not ours may ask for a key. */
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .refine((given) => headersOf(given) !== undefined, 'name=value, several separated by commas; % written as %25')
    .optional(),
  /** Which share of the traces that begin here is told of. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number('a share from 0 to 1').min(0).max(1).default(1),
});
export type TracingSettings = z.infer<typeof tracingSettings>;

export interface Tracing {
  /** Sends the spans that are left. */
  stop(): Promise<void>;
}

/** Room for the burst that a night's alerts are. */
const pace = { scheduledDelayMillis: 1_000, maxQueueSize: 16_384, maxExportBatchSize: 1_024 };

/** A collector that takes longer, or cannot be connected to in that time, is away. */
const answerWithinMs = 10_000;

/** How long a collector that is away may hold up the end of the process. */
const lastSendMs = 2_000;

/**
 * From here on this process tells what it does (see the bus's `spans.ts`). Spans wait in memory for their collector and are
 * dropped when it does not come: nothing anybody relies on ever waits for them. The outermost process judges by itself which
 * traces are told of, whatever those outside say of theirs; the others go by it.
 */
export async function startTracing(
  service: string,
  settings: TracingSettings,
  logger: Logger,
  { outermost = false } = {},
): Promise<Tracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
  if (endpoint === undefined) return { stop: async () => undefined };
  const sdk = await import('@opentelemetry/sdk-trace');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: headersOf(headers ?? '') ?? {},
    httpAgentOptions: { keepAlive: true, timeout: answerWithinMs },
  });
  const share = new sdk.TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.instance.id': hostname() }),
    sampler: new sdk.ParentBasedSampler({
      root: share,
      ...(outermost && { remoteParentSampled: share, remoteParentNotSampled: share }),
    }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: told(exporter, logger), ...pace })],
  });
  trace.setGlobalTracerProvider(provider);
  tellOfDropped(logger);
  return { stop: () => withinTime(provider.shutdown(), lastSendMs).catch(() => undefined) };
}

/** What the SDK itself complains of; its errors are those of the exporter, which says them below. */
function tellOfDropped(logger: Logger): void {
  const quiet = () => undefined;
  const warn = (reason: string) => logger.warn({ reason }, 'traces are not whole');
  const complaints = { error: quiet, warn, info: quiet, debug: quiet, verbose: quiet };
  diag.setLogger(complaints, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** Undefined: not written as they ought to be. */
export function headersOf(given: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const one of given.split(',').filter((part) => part.trim() !== '')) {
    const [, name, value] = /^\s*([\w-]+)\s*=(.*)$/.exec(one) ?? [];
    if (name === undefined || value === undefined) return undefined;
    try {
      headers[name] = decodeURIComponent(value.trim());
    } catch {
      return undefined;
    }
  }
  return headers;
}

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
