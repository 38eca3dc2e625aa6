import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: string;
}

/** Stands in for a service: tells what reached it, and behaves as told. */
export interface TestService {
  url: string;
  /** What the gateway passed on. */
  seen: SeenRequest[];
  /** What it asked by itself. */
  asked: SeenRequest[];
  connections: Set<Socket>;
  /** Answers in place of the echo until set back. */
  behave(listener: RequestListener | undefined): void;
  stop(): Promise<void>;
}

export async function startTestService(): Promise<TestService> {
  const seen: SeenRequest[] = [];
  const asked: SeenRequest[] = [];
  const connections = new Set<Socket>();
  let behaviour: RequestListener | undefined;
  const server = createServer((req, res) => {
    if (behaviour) return void behaviour(req, res);
    const chunks: Buffer[] = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const request = {
        method: req.method ?? '',
        url: req.url ?? '',
        headers: req.headers,
        rawHeaders: req.rawHeaders,
        body,
      };
      const isAsked = request.url.startsWith('/internal/');
      (isAsked ? asked : seen).push(request);
      const answer = isAsked ? body : JSON.stringify(request);
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(answer);
    });
  });
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    asked,
    connections,
    behave: (listener) => {
      behaviour = listener;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
