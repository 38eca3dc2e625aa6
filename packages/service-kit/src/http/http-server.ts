import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { ProblemError } from '../errors.ts';
import type { Leave } from '../process/leave.ts';
import type { ServerCertificate } from '../process/tls.ts';
import { problemAnswer } from './http-answers.ts';
import { type OpenConnections, watchConnections } from './open-connections.ts';

export interface HttpServer {
  port: number;
  /**
   * Takes no new connection, lets requests in work finish, closes each connection once it is quiet, and cuts what is left
   * after the time to drain.
   */
  close(): Promise<void>;
}

export interface ListenOptions {
  host: string;
  /** 0 for any free one. */
  port: number;
  drainMs?: number;
  /** Once it is taken, every answer ends its connection: what is left to be closed is what nobody uses. */
  leave?: Leave;
  /** Given: HTTPS and nothing else. */
  certificate?: ServerCertificate | undefined;
}

/**
 * The side that sends must be the one to give a connection up, or a request meets a connection that closes under it. So a
 * client is told to keep an idle one for so long, and here it is kept for a minute more: docs/decisions/stopping.md
 */
export const toldToKeepMs = 4_000;

const limits: ServerOptions = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: toldToKeepMs,
  keepAliveTimeoutBuffer: 60_000,
  connectionsCheckingInterval: 5_000,
  // Nothing here reads Host, and Node would refuse its absence with an empty answer.
  requireHostHeader: false,
};

export async function listen(listener: RequestListener, options: ListenOptions): Promise<HttpServer> {
  const { certificate, leave, drainMs = 5_000 } = options;
  const active = new Set<ServerResponse>();
  let leaving = false;
  const serve: RequestListener = (req, res) => {
    active.add(res);
    res.once('close', () => active.delete(res));
    connections.answering(req, res);
    if (leaving) endConnectionAfter(res);
    listener(req, res);
  };
  const server = certificate ? createSecureServer({ ...limits, ...certificate }, serve) : createServer(limits, serve);
  const connections = watchConnections(server, { secure: certificate !== undefined });
  const takeLeave = () => {
    leaving = true;
    active.forEach(endConnectionAfter);
  };
  leave?.signal.addEventListener('abort', takeLeave);
  // Node's own answer to an expectation it does not know would be empty; an unknown one may be ignored.
  server.on('checkExpectation', serve);
  server.on('clientError', (error, socket) => refuseMalformed(error, socket, active));
  await bind(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      takeLeave();
      return drain(server, connections, drainMs, Math.min(leave?.ms ?? 0, toldToKeepMs));
    },
  };
}

/** Ends the connection with its answer: kept alive it would stay open, idle, and hold the shutdown up. */
function endConnectionAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

/** Whom the kernel has to turn away tries again after a second, then two, then four. As many as Linux takes. */
const waitingForAccept = 4_096;

function bind(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: waitingForAccept }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function drain(server: Server, connections: OpenConnections, ms: number, quietMs: number): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(connections.cut, ms);
    // Closing does so with whatever has no request at this moment, though the next may be on the wire.
    server.closeIdleConnections = () => undefined;
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    connections.closeQuiet(quietMs);
  });
}

const refusals: Record<string, [status: number, code: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout'],
};

/** What is not even HTTP never reaches express; it is told so in the same shape, unless an answer is under way. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex, active: Set<ServerResponse>): void {
  const answering = [...active].some((res) => res.socket === socket && res.headersSent);
  if (!socket.writable || answering || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, code] = refusals[error.code ?? ''] ?? [400, 'malformed_request'];
  const { headers, body } = problemAnswer(new ProblemError(status, code), uuidv7());
  const lines = { ...headers, 'Content-Length': Buffer.byteLength(body), 'API-Version': '1', Connection: 'close' };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${head.join('')}\r\n${body}`);
}
