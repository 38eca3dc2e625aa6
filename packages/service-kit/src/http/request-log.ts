import { beginSpan, endSpan, type Span, SpanKind, traceparentWithin } from '@ops/bus/spans';
import { currentTrace, nextTraceparent, type Trace } from '@ops/bus/trace';
import type { Request, RequestHandler, Response } from 'express';
import { asProblemError } from '../errors.ts';
import { createLineLimit } from '../observing/line-limit.ts';
import type { Logger } from '../observing/logger.ts';
import type { Metrics } from '../observing/metrics.ts';
import { parentOf, requestIdOf } from './request-trace.ts';

interface Observer {
  /** Where the line of each request goes. */
  logger: Logger;
  metrics: Metrics;
  /** At the door: for its line, with the address; undefined: nobody we know. Behind it whoever comes is known. */
  whoAsks?: (res: Response) => object | undefined;
}

/** Of lines that a flood could write: enough to see what goes on, and what the log says of others is not pushed out. */
const floodLinesPerMinute = 120;

/** Whose line is written in any case: at the door that of whoever we know, within their limit; behind it that of what was done. */
function createLineRule(logger: Logger, isDoor: boolean) {
  const limited = (which: string) =>
    createLineLimit(floodLinesPerMinute, (times) => logger.info({ times }, `further ${which} within a minute`));
  const visits = limited('requests of nobody we know');
  const failures = limited('requests that were not done');
  return (status: number, isKnown: boolean): boolean => {
    if (isKnown && (isDoor ? status !== 429 : status < 400)) return true;
    return status < 400 ? visits() : failures();
  };
}

/** Runs the request inside its trace, tells the caller its id, and notes how it ended. */
export function observeRequests({ logger, metrics, whoAsks }: Observer): RequestHandler {
  const isWritten = createLineRule(logger, whoAsks !== undefined);
  return (req, res, next) => {
    const parent = parentOf(req.headers);
    const span = isProbe(req.path) ? undefined : beginSpan(req.method, parent, { kind: SpanKind.SERVER });
    const traceparent = span ? (traceparentWithin(span, parent) ?? nextTraceparent(parent)) : untold(parent);
    const trace: Trace = { requestId: requestIdOf(req.headers), traceparent };
    const address = whoAsks && req.ip;
    const started = performance.now();
    res.locals.trace = trace;
    res.setHeader('X-Request-Id', trace.requestId);
    res.setHeader('API-Version', '1');
    res.once('close', () => {
      const ending = { route: String(req.route?.path ?? unmatched), status: endedWith(res) };
      const ms = performance.now() - started;
      metrics.requestDuration.observe({ method: req.method, ...ending }, ms / 1000);
      const who = whoAsks ? whoAsks(res) : {};
      if (isProbe(ending.route) || isWritten(ending.status, who !== undefined))
        currentTrace.run(trace, writeLine, logger, req, ending, ms, { ...who, address });
      if (span) tell(span, req.method, ending);
    });
    currentTrace.run(trace, next);
  };
}

/** A trace that is not recorded, for probes: what they ask of the database is told of as little as they are. */
const untold = (parent: string | undefined) => nextTraceparent(parent).replace(/..$/, '00');

export const requestTrace = (res: Response): Trace => res.locals.trace;

/** The status a proxy gives to a request whose client did not wait for the answer. */
const clientGone = 499;

const endedWith = (res: Response) => (res.writableFinished ? res.statusCode : clientGone);

const unmatched = 'unmatched';

interface Ending {
  /** The path as the contracts write it, with names in the place of ids. */
  route: string;
  status: number;
}

const longestPath = 200;

/** Path only: what stands in a query may be what a customer wrote. */
function writeLine(logger: Logger, req: Request, { route, status }: Ending, ms: number, from: object): void {
  const level = isProbe(route) ? 'debug' : 'info';
  const path = req.path.slice(0, longestPath);
  logger[level]({ ...from, method: req.method, path, status, ms: Math.round(ms * 10) / 10 }, 'request');
}

function tell(span: Span, method: string, { route, status }: Ending): void {
  span.setAttributes({ 'http.request.method': method, 'http.response.status_code': status });
  if (route !== unmatched) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
  endSpan(span, status >= 500 ? { name: String(status) } : undefined);
}

const isProbe = (route: string) => route === '/healthz' || route === '/readyz';

/** Enough to see what is away; how often, the figures say. */
const mayWarn = createLineLimit(60, () => undefined);

/** ERROR only for what a person must look at: a bug. What heals itself is a warning, a refusal is no event at all. */
export function reportFailure(error: unknown, res: Response, logger: Logger): void {
  const { status } = asProblemError(error);
  if (status < 500) return;
  currentTrace.run(requestTrace(res), () => {
    if (status === 500) logger.error({ err: error }, 'request failed');
    else if (mayWarn()) logger.warn({ err: error }, 'request refused');
  });
}
