import { once } from 'node:events';
import { Agent, type RequestListener, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { problem } from '@ops/contracts/problem';
import { createLeave, type Leave } from '../process/leave.ts';
import { type HttpServer, listen } from './http-server.ts';

const servers: HttpServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function serve(listener: RequestListener, drainMs = 5_000, leave?: Leave): Promise<HttpServer> {
  const server = await listen(listener, { host: '127.0.0.1', port: 0, drainMs, ...(leave && { leave }) });
  servers.push(server);
  return server;
}

/** All that comes back for these bytes, until the server ends the connection. */
function send(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('end', () => resolve(received)).on('error', reject);
  });
}

/** Over a connection the caller wants to keep. */
function get(
  port: number,
  agent: Agent,
  path = '/',
): Promise<{ status: number | undefined; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, agent, path, host: '127.0.0.1' }, (res) => {
      res.resume();
      res.on('end', () => resolve({ status: res.statusCode, connection: res.headers.connection }));
    });
    sent.on('error', reject).end();
  });
}

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'malformed_request'],
  [
    'a header over the limit',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    400,
    'malformed_request',
  ],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na',
    400,
    'malformed_request',
  ],
])('%s is refused as a problem too, and the connection ends', async (_what, bytes, status, code) => {
  const { port } = await serve((_req, res) => void res.end());
  const [head = '', body = ''] = (await send(port, bytes)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toContain('Content-Type: application/problem+json');
  expect(problem.parse(JSON.parse(body))).toMatchObject({ status, code });
});

test.each([
  ['an expectation nobody knows', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n'],
  ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
])('a request with %s is served like any other', async (_what, bytes) => {
  const { port } = await serve((_req, res) => void res.end('served'));
  expect(await send(port, bytes)).toMatch(/^HTTP\/1.1 200 OK.*served/s);
});

test('closing finishes what is in work, on a kept connection too, and takes nothing new', async () => {
  const entered = Promise.withResolvers<void>();
  const mayGoOn = Promise.withResolvers<void>();
  const server = await serve(async (_req, res) => {
    entered.resolve();
    await mayGoOn.promise;
    res.end('done');
  });
  const agent = new Agent({ keepAlive: true });
  const inWork = get(server.port, agent);
  await entered.promise;
  const closed = server.close();
  await expect(get(server.port, new Agent())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  mayGoOn.resolve();
  expect(await inWork).toEqual({ status: 200, connection: 'close' });
  await closed;
  agent.destroy();
});

test('a kept connection without a request does not hold the close up', async () => {
  const server = await serve((_req, res) => void res.end());
  const agent = new Agent({ keepAlive: true });
  expect((await get(server.port, agent)).connection).toBe('keep-alive');
  await server.close();
  agent.destroy();
});

const someTime = { DRAIN_SECONDS: 1 };

test('while leave is taken all are served, and told that their connection ends', async () => {
  const entered = Promise.withResolvers<void>();
  const mayGoOn = Promise.withResolvers<void>();
  const leave = createLeave(someTime);
  const server = await serve(
    async (req, res) => {
      if (req.url === '/slow') {
        entered.resolve();
        await mayGoOn.promise;
      }
      res.end();
    },
    5_000,
    leave,
  );
  const [before, idle] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
  expect((await get(server.port, idle)).connection).toBe('keep-alive');
  const inWork = get(server.port, before, '/slow');
  await entered.promise;
  const taken = leave.take();
  expect((await get(server.port, new Agent({ keepAlive: true }))).connection).toBe('close');
  expect((await get(server.port, idle)).connection).toBe('close');
  mayGoOn.resolve();
  expect((await inWork).connection).toBe('close');
  await taken;
});

/** A connection that was kept, as somebody holds it who knows nothing of ours. */
async function kept(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\n\r\n'));
  await once(socket, 'data');
  return socket;
}

test('an idle connection is closed only when it was quiet for as long as leave takes', async () => {
  const leave = createLeave(someTime);
  const server = await serve((_req, res) => void res.end(), 5_000, leave);
  const socket = await kept(server.port);
  const closed = server.close();
  socket.on('error', () => undefined).write('GET / HTTP/1.1\r\n\r\n');
  const answer = Buffer.concat(await socket.toArray());
  expect(answer.toString()).toMatch(/^HTTP\/1.1 200 OK.*Connection: close/s);
  await closed;
});

test('one that nobody speaks on does not hold the close up for longer', async () => {
  const server = await serve((_req, res) => void res.end(), 60_000, createLeave(someTime));
  const unused = connect(server.port, '127.0.0.1');
  await once(unused, 'connect');
  const silent = [await kept(server.port), unused];
  const ended = silent.map((socket) => once(socket.resume(), 'close'));
  await server.close();
  await Promise.all(ended);
});

test('a client is told to give up what is idle long before it is closed here', async () => {
  const server = await serve((_req, res) => void res.end());
  const socket = connect(server.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\n\r\n'));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toContain('Keep-Alive: timeout=4');
  socket.destroy();
});

test('what does not finish in the time to drain is cut', async () => {
  const entered = Promise.withResolvers<void>();
  const server = await serve(() => entered.resolve(), 50);
  const hanging = get(server.port, new Agent());
  const cut = expect(hanging).rejects.toMatchObject({ code: 'ECONNRESET' });
  await entered.promise;
  await server.close();
  await cut;
});

test('a port that is taken is an error at once', async () => {
  const { port } = await serve((_req, res) => void res.end());
  await expect(listen(() => {}, { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
