import {
  type Attributes,
  type Context,
  trace as opentelemetry,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  type SpanOptions,
  SpanStatusCode,
} from '@opentelemetry/api';
import { currentTrace, newTrace, type Trace } from './trace.ts';

export { type Attributes, type Span, SpanKind } from '@opentelemetry/api';

/**
 * What took how long within a trace. Nobody listens unless a process is told where to send its spans (the kit's
 * `tracing.ts`): until then these cost next to nothing and leave the trace as it is.
 */
const tracer = () => opentelemetry.getTracer('ops');

/** A part of what `parent` tells of; without a parent, or with one that is no W3C trace, the beginning of a trace. */
export const beginSpan = (name: string, parent: string | undefined, options: SpanOptions): Span =>
  tracer().startSpan(name, options, contextOf(parent));

/** The trace as it goes on within the span; undefined when nobody listens. */
export function traceparentWithin(span: Span, parent: string | undefined): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const isNew = /[^0]/.test(spanId) && spanId !== parent?.split('-')[2];
  return isNew ? `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` : undefined;
}

export function endSpan(span: Span, error?: unknown): void {
  if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: nameOf(error) });
  span.end();
}

/** What an error is, not what it says: a message may quote what a customer wrote. */
const nameOf = (error: unknown): string => {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  return [name, code].filter((part) => typeof part === 'string').join(' ') || typeof error;
};

export interface Work {
  kind?: SpanKind;
  attributes?: Attributes;
}

/** Work as a part of the current trace; outside of any it is not told of. */
export async function inSpan<T>(name: string, options: Work, work: (span?: Span) => Promise<T>): Promise<T> {
  const trace = currentTrace.getStore();
  return trace ? within(beginSpan(name, trace.traceparent, options), trace, work) : work();
}

/** Work that nothing outside called for: a part of the current trace, or the beginning of one. */
export async function inTrace<T>(name: string, work: () => Promise<T>): Promise<T> {
  const trace = currentTrace.getStore();
  return within(beginSpan(name, trace?.traceparent, {}), trace ?? newTrace(), work);
}

async function within<T>(span: Span, trace: Trace, work: (span: Span) => Promise<T>): Promise<T> {
  const inner = { ...trace, traceparent: traceparentWithin(span, trace.traceparent) ?? trace.traceparent };
  let failure: unknown;
  try {
    return await currentTrace.run(inner, work, span);
  } catch (error) {
    failure = error ?? 'nothing';
    throw error;
  } finally {
    endSpan(span, failure);
  }
}

/**
 * A trace of its own for one thing of the many that the current work brings about, linked to it: each can be followed
 * by itself, and none grows with the number of the others.
 */
export function ownTrace(name: string, attributes: Attributes): Trace | undefined {
  const trace = currentTrace.getStore();
  if (!trace) return undefined;
  const context = opentelemetry.getSpanContext(contextOf(trace.traceparent));
  const span = tracer().startSpan(name, { attributes, links: context ? [{ context }] : [] }, ROOT_CONTEXT);
  span.end();
  return { ...trace, traceparent: traceparentWithin(span, undefined) ?? trace.traceparent };
}

const w3c = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/;

function contextOf(parent: string | undefined): Context {
  const [, traceId, spanId, flags] = w3c.exec(parent ?? '') ?? [];
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16);
  return opentelemetry.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
