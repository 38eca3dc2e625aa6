import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { listening } from '../../test/outside.ts';
import { type Exchange, exchange } from './http-client.ts';

let server: Server;
let port: number;
let behave: (socket: Socket) => void;
const sockets = new Set<Socket>();

beforeEach(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    behave(socket);
  });
  port = await listening(server);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise((resolve) => server.close(resolve));
});

const post = (body = Buffer.from('a body'), url = `http://127.0.0.1:${port}/send`): Promise<Exchange> =>
  exchange({ url, method: 'POST', headers: {}, body, timeoutMs: 1_000 });

/** Resolves when all of a small request was read. */
const afterReading = (socket: Socket, then: () => void) =>
  socket.on('data', (chunk) => {
    if (chunk.toString().endsWith('a body')) then();
  });

test('a connection that is refused carried nothing', async () => {
  const closed = createServer();
  const free = await listening(closed);
  await new Promise((resolve) => closed.close(resolve));
  expect(await post(undefined, `http://127.0.0.1:${free}/`)).toEqual({ kind: 'unreached', reason: 'ECONNREFUSED' });
});

test('a name nobody has carried nothing', async () => {
  expect(await post(undefined, 'http://no-such-host.invalid/')).toMatchObject({ kind: 'unreached' });
});

test('a handshake that fails carried nothing', async () => {
  behave = (socket) => socket.end('no TLS here\r\n');
  expect(await post(undefined, `https://127.0.0.1:${port}/`)).toMatchObject({ kind: 'unreached' });
});

test('a handshake nobody answers carried nothing', async () => {
  behave = () => undefined;
  expect(await post(undefined, `https://127.0.0.1:${port}/`)).toMatchObject({ kind: 'unreached' });
});

test('a connection that is cut after the request was read may have carried it', async () => {
  behave = (socket) => afterReading(socket, () => socket.resetAndDestroy());
  expect(await post()).toMatchObject({ kind: 'lost' });
});

test('no answer in time proves nothing', async () => {
  behave = () => undefined;
  expect(await post()).toEqual({ kind: 'lost', reason: 'no answer within 1000 ms', late: true });
});

test('an answer that breaks off is an answer: its status was heard', async () => {
  behave = (socket) =>
    afterReading(socket, () => {
      socket.write('HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{"sid":');
      setImmediate(() => socket.destroy());
    });
  expect(await post()).toMatchObject({ kind: 'answer', status: 201, body: '{"sid":' });
});

test('an answer that never ends is cut off', async () => {
  behave = (socket) =>
    afterReading(socket, () => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
      const more = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', more);
      more();
    });
  const answer = await post();
  expect(answer).toMatchObject({ kind: 'answer', status: 200 });
  expect(answer.kind === 'answer' && answer.body.length).toBeLessThan(1_000_000);
});

test('a refusal that comes before the body was read says so; one that comes after does not', async () => {
  const refusal = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n';
  behave = (socket) => {
    socket.once('data', () => {
      socket.pause();
      socket.write(refusal);
    });
  };
  expect(await post(Buffer.alloc(64 * 1024 * 1024))).toMatchObject({ status: 503, bodyTaken: false });
  behave = (socket) => afterReading(socket, () => socket.write(refusal));
  expect(await post()).toMatchObject({ status: 503, bodyTaken: true });
});

test('each request has a connection of its own', async () => {
  behave = (socket) => afterReading(socket, () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  await post();
  await post();
  expect(sockets.size).toBe(2);
});
