import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, ServerResponse } from 'node:http';
import { currentTrace } from '@ops/bus/trace';
import type { ServiceName } from '@ops/contracts/routes';
import { ProblemError } from '@ops/service-kit/errors';
import type { NextFunction, Request, Response } from 'express';
import { createProxyMiddleware, debugProxyErrorsPlugin, type Plugin, proxyEventsPlugin } from 'http-proxy-middleware';
import { LimitedBody } from './body-limit.ts';
import type { Pace } from './pace.ts';
import { mayBeAskedAgain } from './second-try.ts';
import { createServiceAgents } from './service-agents.ts';
import { ConnectTimeout, upstreamFailure } from './upstream-failure.ts';

export interface ProxyOptions {
  services: Record<ServiceName, string>;
  /** How long a service may stay silent. */
  timeoutMs: number;
  /** How long connecting may take. */
  connectTimeoutMs?: number;
}

interface Forwarding {
  service: ServiceName;
  headers: IncomingHttpHeaders;
  mostBytes: number;
  /** For bodies of whom nobody has proven to be. */
  pace?: Pace;
}

export interface ServiceProxy {
  /** Passes the request on as it stands, its body unread, and its answer back. Failures go to `next` as problems. */
  forward(req: Request, res: Response, next: NextFunction, forwarding: Forwarding): void;
  close(): void;
}

interface Underway {
  service: ServiceName;
  body: LimitedBody;
  /** The request of this try, once it has a connection. */
  upstream?: ClientRequest;
  tries: number;
  timedOut: boolean;
  settled: boolean;
  failed(error: Error): void;
}

export function createProxy({ services, timeoutMs, connectTimeoutMs = 5000 }: ProxyOptions): ServiceProxy {
  const agents = createServiceAgents();
  const underway = new WeakMap<IncomingMessage, Underway>();
  const middleware = createProxyMiddleware<Request, Response>({
    changeOrigin: true,
    xfwd: false,
    proxyTimeout: timeoutMs,
    headers: { connection: 'keep-alive' },
    // The usual ones but for what makes a line of each answer, and drops it where there is no logger.
    ejectPlugins: true,
    plugins: [debugProxyErrorsPlugin, proxyEventsPlugin] as unknown as Plugin<Request, Response>[],
    router: (req, _res, options) => {
      const { service, body, tries } = known(underway, req);
      const target = new URL(services[service]);
      // A connection of its own for the second try: others that were kept may have ended as the first one did.
      options.agent = tries > 1 ? (false as never) : agents.kept(target.protocol);
      options.buffer = body;
      return target;
    },
    on: {
      proxyReq: (upstream, req) => watch(upstream, known(underway, req), connectTimeoutMs),
      proxyRes: (answer, _req, res) => keepHopHeaders(answer, res),
      error: (error, req, res) => (res instanceof ServerResponse ? underway.get(req)?.failed(error) : res.destroy()),
    },
  });
  return {
    forward(req, res, next, { service, headers, mostBytes, pace }) {
      const send = () => {
        entry.tries += 1;
        const failed = (error: unknown) => entry.failed(error instanceof Error ? error : new Error('not proxied'));
        void middleware(req, res, failed);
      };
      const entry: Underway = {
        service,
        body: new LimitedBody(req, mostBytes, pace),
        tries: 0,
        timedOut: false,
        settled: false,
        failed: (error) => {
          if (!mayBeAskedAgain(error, req, res, entry)) return fail(error, entry, res, next);
          // The library listens to it a second time, which is no leak.
          res.setMaxListeners(2 * res.getMaxListeners());
          send();
        },
      };
      underway.set(req, entry);
      req.headers = { ...headers, ...traceHeaders() };
      send();
    },
    close: agents.close,
  };
}

function known(underway: WeakMap<IncomingMessage, Underway>, req: IncomingMessage): Underway {
  const entry = underway.get(req);
  if (!entry) throw new TypeError('a request reached the proxy without being forwarded');
  return entry;
}

/**
 * Watches the time itself: the library's time-out ends in the same error as a broken connection and starts only once
 * connected.
 */
function watch(upstream: ClientRequest, entry: Underway, connectTimeoutMs: number): void {
  upstream.once('timeout', () => {
    entry.timedOut = true;
  });
  entry.upstream = upstream;
  const cutOff = (error: Error) => upstream.destroy(error);
  if (entry.body.errored) cutOff(entry.body.errored);
  entry.body.once('error', cutOff);
  if (!upstream.socket?.connecting) return;
  const timer = setTimeout(() => cutOff(new ConnectTimeout()), connectTimeoutMs);
  upstream.socket.once('connect', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
}

/** Once the answer has begun there is no second one to give: the cut connection tells that it is not whole. */
function fail(error: Error, entry: Underway, res: Response, next: NextFunction): void {
  if (entry.settled || res.destroyed || res.writableEnded) return;
  entry.settled = true;
  if (res.headersSent) return void res.destroy();
  const refused = entry.body.errored;
  next(refused instanceof ProblemError ? refused : upstreamFailure(entry.service, error, entry.timedOut));
}

const notForClients = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'server',
  'set-cookie',
  'te',
  'trailer',
  'upgrade',
  'x-powered-by',
];

/**
 * Keeps what a service says of its own connection from the client: whether one stays open is settled on each side by
 * itself.
 */
function keepHopHeaders(answer: IncomingMessage, res: Response): void {
  for (const name of notForClients) delete answer.headers[name];
  const ends = !res.shouldKeepAlive || res.getHeader('Connection') === 'close';
  answer.headers.connection = ends ? 'close' : 'keep-alive';
}

function traceHeaders(): IncomingHttpHeaders {
  const trace = currentTrace.getStore();
  return trace ? { 'x-request-id': trace.requestId, traceparent: trace.traceparent } : {};
}
