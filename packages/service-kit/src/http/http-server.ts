import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { ProblemError } from '../errors.ts';
import type { ServerCertificate } from '../process/tls.ts';
import { problemAnswer } from './http-answers.ts';

export interface HttpServer {
  port: number;
  /** Takes no new connection, lets requests in work finish, and cuts what is left after the time to drain. */
  close(): Promise<void>;
}

export interface ListenOptions {
  host: string;
  /** 0 for any free one. */
  port: number;
  drainMs?: number;
  /** Given: HTTPS and nothing else. */
  certificate?: ServerCertificate | undefined;
}

/**
 * The gateway keeps idle connections for less than `keepAliveTimeout`: the side that sends must be the one to give a
 * connection up, or a request meets a connection that closes under it.
 */
const limits: ServerOptions = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  // Nothing here reads Host, and Node would refuse its absence with an empty answer.
  requireHostHeader: false,
};

export async function listen(listener: RequestListener, options: ListenOptions): Promise<HttpServer> {
  const active = new Set<ServerResponse>();
  let draining = false;
  const serve: RequestListener = (req, res) => {
    active.add(res);
    res.once('close', () => active.delete(res));
    if (draining) endConnectionAfter(res);
    listener(req, res);
  };
  const { certificate } = options;
  const server = certificate ? createSecureServer({ ...limits, ...certificate }, serve) : createServer(limits, serve);
  // Node's own answer to an expectation it does not know would be empty; an unknown one may be ignored.
  server.on('checkExpectation', serve);
  server.on('clientError', (error, socket) => refuseMalformed(error, socket, active));
  await bind(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      draining = true;
      active.forEach(endConnectionAfter);
      return drain(server, options.drainMs ?? 5_000);
    },
  };
}

/** Ends the connection with its answer: kept alive it would stay open, idle, and hold the shutdown up. */
function endConnectionAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

function bind(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function drain(server: Server, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), ms);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
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
