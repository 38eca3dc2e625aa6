import { currentTrace, type Trace } from '@ops/bus/trace';
import type { Request, RequestHandler, Response } from 'express';
import { asProblemError } from './errors.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { traceOf } from './request-trace.ts';

interface Observer {
  logger: Logger;
  metrics: Metrics;
}

/** Runs the request inside its trace, tells the caller its id, and notes how it ended. */
export function observeRequests({ logger, metrics }: Observer): RequestHandler {
  return (req, res, next) => {
    const trace = traceOf(req.headers);
    const started = performance.now();
    res.locals.trace = trace;
    res.setHeader('X-Request-Id', trace.requestId);
    res.setHeader('API-Version', '1');
    res.once('close', () => currentTrace.run(trace, note, req, res, performance.now() - started, { logger, metrics }));
    currentTrace.run(trace, next);
  };
}

export const requestTrace = (res: Response): Trace => res.locals.trace;

/** The status a proxy gives to a request whose client did not wait for the answer. */
const clientGone = 499;

/** Path only: what stands in a query may be what a customer wrote. */
function note(req: Request, res: Response, ms: number, { logger, metrics }: Observer): void {
  const route = String(req.route?.path ?? 'unmatched');
  const status = res.writableFinished ? res.statusCode : clientGone;
  metrics.requestDuration.observe({ method: req.method, route, status }, ms / 1000);
  const level = isProbe(route) ? 'debug' : 'info';
  logger[level]({ method: req.method, path: req.path, status, ms: Math.round(ms * 10) / 10 }, 'request');
}

const isProbe = (route: string) => route === '/healthz' || route === '/readyz';

/** ERROR only for what a person must look at: a bug. What heals itself is a warning, a refusal is no event at all. */
export function reportFailure(error: unknown, res: Response, logger: Logger): void {
  const { status } = asProblemError(error);
  if (status < 500) return;
  currentTrace.run(requestTrace(res), () =>
    status === 500 ? logger.error({ err: error }, 'request failed') : logger.warn({ err: error }, 'request refused'),
  );
}
