import { isNativeError } from 'node:util/types';
import { currentTrace } from '@ops/bus/trace';
import pino from 'pino';

export type Logger = pino.Logger;

/**
 * JSON lines on stdout, each with the request and trace it belongs to. Whatever the caller hands in, a value under a
 * confidential name never reaches a line, at any depth: pino's own redaction knows fixed paths only.
 */
export function createLogger(
  service: string,
  level: string,
  destination: pino.DestinationStream = standardOutput(),
): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: traceFields,
    // Described below already; pino's own serializer would fold causes into the message.
    serializers: { err: (described) => described },
    formatters: { level: (label) => ({ level: label }), log: (fields) => redact(fields, 0) as Record<string, unknown> },
  };
  return pino(options, destination);
}

/** How long a line waits for others: each time something is written costs as much as ten lines do. */
const gatherMs = 10;
const mostGathered = 64_000;

let gathered = '';
process.on('exit', writeGathered);

function writeGathered(): void {
  const lines = gathered;
  gathered = '';
  if (lines !== '') process.stdout.write(lines);
}

/**
 * The stream rather than pino's own writer: once the reader at the other end is gone, that one tries its last line
 * again and again while the process exits, and an orphaned service would never end. What is worse than usual is written at once.
 */
function standardOutput(): pino.DestinationStream {
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => undefined);
  return {
    // So pino says at which level each line is.
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line: string) {
      if (gathered === '') setTimeout(writeGathered, gatherMs).unref();
      gathered += line;
      if (this.lastLevel >= worseThanUsual || gathered.length > mostGathered) writeGathered();
    },
  } as pino.DestinationStream & { lastLevel: number };
}

const worseThanUsual = pino.levels.values.warn ?? 0;

function traceFields(): Record<string, string> {
  const trace = currentTrace.getStore();
  if (!trace) return {};
  return { request_id: trace.requestId, trace_id: trace.traceparent.split('-')[1] ?? '' };
}

/** Credentials, and what customers write: `body`, `text`, `subject` lines and the whole of a payload. */
const confidential =
  /^(.*[-_.])?(authorization|cookie|set-cookie|token|secret|password|passwd|api[-_]?key|private[-_]?key|session|identity|csrf)s?$|^(body|text|html|subject|payload|data|content)$|(Token|Secret|Password|Cookie)$/i;

const deepest = 6;

function redact(value: unknown, depth: number): unknown {
  if (isNativeError(value)) return describeError(value, depth);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date || Buffer.isBuffer(value)) return Buffer.isBuffer(value) ? '[binary]' : value;
  if (depth >= deepest) return '[deep]';
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      confidential.test(name) ? '[redacted]' : redact(item, depth + 1),
    ]),
  );
}

/** Only what helps to find the fault: a driver's `detail` or a parser's `body` would quote what a customer wrote. */
function describeError(error: Error, depth: number): object {
  const { code, constraint, table } = error as Error & { code?: unknown; constraint?: unknown; table?: unknown };
  const cause = error.cause === undefined || depth >= deepest ? undefined : redact(error.cause, depth + 1);
  return { type: error.name, message: error.message, stack: error.stack, code, constraint, table, cause };
}
