import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { listen } from '@ops/service-kit/http-server';
import { eventually } from '@ops/test-kit/eventually';
import express from 'express';
import { createProxy } from '../src/proxy/proxy.ts';
import { ask, bearer, startTestGateway, startWithIssuer, type TestGateway } from './gateway.ts';
import type { TestIssuer } from './issuer.ts';
import { startTestService, type TestService } from './service.ts';

const mib = 1024 * 1024;
const notes = '/ops/customers/C-1/notes';

let issuer: TestIssuer;
let gateway: TestGateway;
let comms: TestService;
let authorised: Record<string, string>;

beforeAll(async () => {
  ({ issuer, gateway } = await startWithIssuer({ env: { PROXY_TIMEOUT_MS: '500' } }));
  comms = gateway.services['comms-service'];
  authorised = bearer(await issuer.token());
});
afterEach(() => {
  comms.behave(undefined);
  comms.seen.length = 0;
});
afterAll(() => gateway.stop());

const read = (path = '/ops/customers') => ask(gateway.port, path, { headers: authorised });
const write = (body: string | Buffer, headers = {}) =>
  ask(gateway.port, notes, { method: 'POST', headers: { ...authorised, ...headers }, body });

function expectProblem(answer: Awaited<ReturnType<typeof read>>, status: number, code: string) {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(answer.json).toMatchObject({ status, code, request_id: answer.headers['x-request-id'] });
}

test('a body passes byte for byte, unparsed', async () => {
  const body = '{ "n":12345678901234567890, "t":"\\u00e4\\u0000" , "n":1}';
  expect((await write(body, { 'content-type': 'application/json' })).json.body).toBe(body);
});

test('a body in chunks passes whole', async () => {
  const request = httpRequest({ port: gateway.port, path: notes, method: 'POST', headers: authorised });
  for (const piece of ['{"body":', '"in three ', 'pieces"}']) request.write(piece);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(JSON.parse(await text(response)).body).toBe('{"body":"in three pieces"}');
});

/** Unlike `once`, whatever error comes first. */
const closed = (stream: IncomingMessage | ServerResponse) =>
  new Promise((resolve) => stream.on('error', () => {}).once('close', resolve));

async function text(stream: IncomingMessage): Promise<string> {
  return Buffer.concat(await stream.toArray()).toString();
}

test('connections to a service are kept and used again', async () => {
  for (let i = 0; i < 5; i++) await read();
  expect(comms.connections.size).toBe(1);
});

test('a request in work while we stop is finished, and its connection then closed', async () => {
  const stopping = await startTestGateway({ issuer: issuer.url });
  const arrived = Promise.withResolvers<ServerResponse>();
  stopping.services['comms-service'].behave((_req, res) => arrived.resolve(res));
  const answer = ask(stopping.port, '/ops/customers', { headers: { ...authorised, connection: 'keep-alive' } });
  const upstream = await arrived.promise;
  const stopped = stopping.stop();
  upstream.end('{}');
  expect(await answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
  await stopped;
});

test('a gateway that takes its leave says so to whom it serves and to who asks whether it is ready', async () => {
  const leaving = await startTestGateway({ issuer: issuer.url });
  const headers = { ...authorised, connection: 'keep-alive' };
  expect((await ask(leaving.port, '/ops/customers', { headers })).headers.connection).toBe('keep-alive');
  await leaving.leave();
  expect(await ask(leaving.port, '/ops/customers', { headers })).toMatchObject({
    status: 200,
    headers: { connection: 'close' },
  });
  expectProblem(await ask(leaving.port, '/readyz'), 503, 'unavailable');
  await leaving.stop();
});

test('a client decides whether its own connection is kept', async () => {
  const connectionAfter = async (connection: string) =>
    (await ask(gateway.port, '/ops/customers', { headers: { ...authorised, connection } })).headers.connection;
  expect(await connectionAfter('keep-alive')).toBe('keep-alive');
  expect(await connectionAfter('close')).toBe('close');
});

test("a service's own problem passes as it is", async () => {
  const problem = { type: 'about:blank', title: 'Conflict', status: 409, code: 'conflict', request_id: 'r' };
  comms.behave((_req, res) =>
    res.writeHead(409, { 'Content-Type': 'application/problem+json' }).end(JSON.stringify(problem)),
  );
  const answer = await read();
  expect(answer).toMatchObject({ status: 409, json: problem });
});

test('a service that is down gets 503 with Retry-After, and the others are served', async () => {
  const { services, stop, port } = await startTestGateway({ issuer: issuer.url });
  await services['comms-service'].stop();
  const answer = await ask(port, '/ops/customers', { headers: authorised });
  expectProblem(answer, 503, 'unavailable');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(answer.json.detail).toContain('comms-service');
  const admin = bearer(await issuer.token({ roles: ['admin'] }));
  expect((await ask(port, '/ops/services/notifier/dead-letters', { headers: admin })).status).toBe(200);
  await stop();
});

test('a body that met a closed door goes in whole by the next', async () => {
  const [closed, open] = await Promise.all([startTestService(), startTestService()]);
  await closed.stop();
  const doors = [closed.url, open.url];
  // As a name that stands for several, one of which is just gone.
  const nobody = { 'renewals-service': '', 'webhook-ingest': '', notifier: '' };
  const services = {
    ...nobody,
    get 'comms-service'() {
      return doors.shift() ?? '';
    },
  };
  const proxy = createProxy({ services, timeoutMs: 500 });
  const app = express().use((req, res, next) =>
    proxy.forward(req, res, next, { service: 'comms-service', headers: req.headers, mostBytes: mib }),
  );
  const server = await listen(app as never, { host: '127.0.0.1', port: 0 });
  const body = Buffer.alloc(mib, 'a');
  const answer = await ask(server.port, notes, { method: 'POST', body }).finally(async () => {
    proxy.close();
    await server.close();
    await open.stop();
  });
  expect(answer.json.body).toHaveLength(mib);
  expect(doors).toEqual([]);
});

test('a service that cannot be found gets 503', async () => {
  const lost = await startTestGateway({ issuer: issuer.url, env: { COMMS_SERVICE_URL: 'http://nowhere.invalid' } });
  expectProblem(await ask(lost.port, '/ops/customers', { headers: authorised }), 503, 'unavailable');
  await lost.stop();
});

test('a service that does not take the connection in time gets 503', async () => {
  const stuck = await startTestGateway({
    issuer: issuer.url,
    env: { COMMS_SERVICE_URL: 'http://192.0.2.1' },
    connectTimeoutMs: 50,
  });
  expectProblem(await ask(stuck.port, '/ops/customers', { headers: authorised }), 503, 'unavailable');
  await stuck.stop();
});

test('a service that stays silent gets 504, and its connection is given up', async () => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  comms.behave((req) => arrived.resolve(req));
  const answer = read();
  const gone = closed(await arrived.promise);
  expectProblem(await answer, 504, 'gateway_timeout');
  await gone;
});

test('who comes when a service has as much under way as may be gets 503 at once, and others are served', async () => {
  const full = await startTestGateway({ issuer: issuer.url, mostUnderWay: 2 });
  const ofFull = (path: string) => ask(full.port, path, { headers: authorised });
  const waiting: ServerResponse[] = [];
  full.services['comms-service'].behave((_req, res) => void waiting.push(res));
  const held = ['/ops/customers', '/ops/customers'].map(ofFull);
  await eventually(() => expect(waiting).toHaveLength(2));
  const refused = await ofFull('/ops/customers');
  expectProblem(refused, 503, 'unavailable');
  expect(refused.headers['retry-after']).toBe('1');
  expect(await ofFull('/ops/renewals')).toMatchObject({ status: 200 });
  for (const res of waiting) res.end('{}');
  expect(await Promise.all(held)).toMatchObject([{ status: 200 }, { status: 200 }]);
  full.services['comms-service'].behave(undefined);
  expect(await ofFull('/ops/customers')).toMatchObject({ status: 200 });
  await full.stop();
});

test('whom a service answers late keeps no room from others', async () => {
  const narrow = await startTestGateway({ issuer: issuer.url, mostUnderWay: 1 });
  const customers = () => ask(narrow.port, '/ops/customers', { headers: authorised });
  const waiting = new Promise<ServerResponse>((resolve) =>
    narrow.services['comms-service'].behave((_req, res) => resolve(res)),
  );
  const held = customers();
  const late = await waiting;
  narrow.services['comms-service'].behave(undefined);
  expectProblem(await customers(), 503, 'unavailable');
  await eventually(async () => expect(await customers()).toMatchObject({ status: 200 }));
  late.end('{}');
  expect(await held).toMatchObject({ status: 200 });
  await narrow.stop();
});

test('who went away before their request was passed on keeps no room at the service', async () => {
  const narrow = await startTestGateway({ issuer: issuer.url, mostUnderWay: 1 });
  for (let n = 0; n < 20; n += 1) {
    const leaving = httpRequest({ port: narrow.port, path: '/ops/customers', headers: authorised });
    leaving.on('error', () => {}).end();
    await once(leaving, 'finish');
    leaving.destroy();
  }
  await eventually(async () =>
    expect(await ask(narrow.port, '/ops/customers', { headers: authorised })).toMatchObject({ status: 200 }),
  );
  await narrow.stop();
});

test('a service that hangs up gets 502', async () => {
  comms.behave((req) => req.socket.destroy());
  expectProblem(await read(), 502, 'bad_gateway');
});

/** Hangs up as soon as something comes, as one does that closes an idle connection at the same moment; the next one is served. */
function endOnce() {
  let ended = 0;
  comms.behave((req, res) => {
    if (ended++ === 0) req.socket.destroy();
    else req.resume().on('end', () => res.end(JSON.stringify({ method: req.method })));
  });
  return () => ended;
}

test.each(['GET', 'HEAD'])(
  '%s meets a kept connection that ends: it is asked once more, by a new one',
  async (method) => {
    await read();
    const seen = endOnce();
    const answer = await ask(gateway.port, '/ops/customers', { method, headers: authorised });
    expect(answer.status).toBe(200);
    expect(seen()).toBe(2);
  },
);

test.each([
  ['with a body', '{"body":"once"}', {}],
  ['with a body and a key', '{"body":"once"}', { 'idempotency-key': 'once' }],
  ['without either', '', {}],
])('what changes something, %s, is never sent again once it may have been begun', async (_what, body, headers) => {
  await read();
  const seen = endOnce();
  expectProblem(await write(body, headers), 502, 'bad_gateway');
  expect(seen()).toBe(1);
});

test('a POST that has a key, and no body that would have to be kept, is asked once more', async () => {
  await read();
  const seen = endOnce();
  expect((await write('', { 'idempotency-key': 'once' })).status).toBe(200);
  expect(seen()).toBe(2);
});

test('what ends a new connection too is not asked a third time', async () => {
  await read();
  let seen = 0;
  comms.behave((req) => {
    seen += 1;
    req.socket.destroy();
  });
  expectProblem(await read(), 502, 'bad_gateway');
  expect(seen).toBe(2);
});

test('a connection that nobody uses is given up by us', async () => {
  const { promise: first, resolve } = Promise.withResolvers<string>();
  comms.behave((req, res) => {
    for (const event of ['end', 'close']) req.socket.once(event, () => resolve(event));
    res.end('{}');
  });
  await read();
  expect(await first).toBe('end');
});

test('a service that talks nonsense gets 502', async () => {
  comms.behave((req) => req.socket.end('this is not HTTP\r\n\r\n'));
  expectProblem(await read(), 502, 'bad_gateway');
});

test('a service that breaks off its answer breaks off ours: it is not passed off as whole', async () => {
  comms.behave((_req, res) => {
    res.writeHead(200, { 'Content-Length': 1000 });
    res.write('half');
    setImmediate(() => res.destroy());
  });
  await expect(read()).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  comms.behave(undefined);
  expect((await read()).status).toBe(200);
});

test('a slow answer is not cut while it goes on', async () => {
  comms.behave((_req, res) => {
    let left = 8;
    const timer = setInterval(() => {
      if (--left > 0) return void res.write('.');
      clearInterval(timer);
      res.end('!');
    }, 100);
  });
  expect((await read()).text).toBe('.......!');
});

test('a client that goes away takes the request to the service with it', async () => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  comms.behave((req) => arrived.resolve(req));
  const request = httpRequest({ port: gateway.port, path: '/ops/customers', headers: authorised });
  request.on('error', () => {});
  request.end();
  const upstream = await arrived.promise;
  const gone = closed(upstream);
  request.destroy();
  await gone;
});

test('a client that goes away in the middle of its body ends the request and harms nobody', async () => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  comms.behave((req) => {
    req.on('error', () => {});
    arrived.resolve(req);
  });
  const request = httpRequest({
    port: gateway.port,
    path: notes,
    method: 'POST',
    headers: { ...authorised, 'content-length': '100' },
  });
  request.on('error', () => {});
  request.write('some');
  const upstream = await arrived.promise;
  const gone = closed(upstream);
  request.destroy();
  await gone;
  comms.behave(undefined);
  expect((await read()).status).toBe(200);
});

test('a client that goes away while an answer streams closes the service side', async () => {
  const begun = Promise.withResolvers<ServerResponse>();
  comms.behave((_req, res) => {
    res.write('first');
    begun.resolve(res);
  });
  const request = httpRequest({ port: gateway.port, path: '/ops/customers', headers: authorised });
  request.on('error', () => {});
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  const gone = closed(await begun.promise);
  response.destroy();
  await gone;
});

test('a body of exactly 1 MiB passes', async () => {
  expect((await write(Buffer.alloc(mib, 'a'))).json.body).toHaveLength(mib);
});

test('a body that announces more than 1 MiB gets 413 before any of it is read', async () => {
  const socket = connect(gateway.port, '127.0.0.1');
  socket.write(
    `POST ${notes} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorised.authorization}\r\nContent-Length: ${mib + 1}\r\n\r\n`,
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  expect(head.toString()).toContain('HTTP/1.1 413');
  expect(head.toString()).toContain('application/problem+json');
  await once(socket.resume(), 'close');
  expect(comms.seen).toHaveLength(0);
});

test('a body in chunks over 1 MiB gets 413, and no service takes it for whole', async () => {
  const ended: boolean[] = [];
  comms.behave((req) => {
    req.on('error', () => {});
    req.resume().on('close', () => ended.push(req.complete));
  });
  const request = httpRequest({ port: gateway.port, path: notes, method: 'POST', headers: authorised });
  request.on('error', () => {});
  const chunk = Buffer.alloc(64 * 1024, 'a');
  let stopped = false;
  const pump = () => {
    while (!stopped && request.write(chunk));
  };
  request.on('drain', pump);
  pump();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  stopped = true;
  expect(response.statusCode).toBe(413);
  expect(JSON.parse(await text(response))).toMatchObject({ code: 'body_too_large' });
  request.destroy();
  comms.behave(undefined);
  expect((await read()).status).toBe(200);
  expect(ended).not.toContain(true);
});

test('e-mail webhooks may be far larger, the messaging app somewhat, other webhooks not', async () => {
  const body = Buffer.alloc(2 * mib, 'a');
  const large = await ask(gateway.port, '/webhooks/email/mime', { method: 'POST', body });
  expect(large.json.body).toHaveLength(2 * mib);
  const app = (size: number) =>
    ask(gateway.port, '/webhooks/messaging-app', { method: 'POST', body: Buffer.alloc(size, 'a') });
  expect((await app(2 * mib)).status).toBe(200);
  expect((await app(4 * mib + 1)).status).toBe(413);
  expect((await ask(gateway.port, '/webhooks/sms', { method: 'POST', body })).status).toBe(413);
});

test('an upgrade to another protocol is not passed on', async () => {
  const headers = { ...authorised, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'eA==' };
  const answer = await ask(gateway.port, '/ops/customers', { headers });
  expect(answer.status).toBe(200);
  expect(answer.json.headers).toMatchObject({ connection: 'keep-alive' });
  expect(answer.json.headers).not.toHaveProperty('upgrade');
});

test('a body whose length is told twice is not even HTTP', async () => {
  const socket = connect(gateway.port, '127.0.0.1');
  socket.write(
    `POST ${notes} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorised.authorization}\r\n` +
      'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /ops/services HTTP/1.1\r\n\r\n',
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  expect(head.toString()).toMatch(/^HTTP\/1.1 400 /);
  await once(socket.resume(), 'close');
  expect(comms.seen).toHaveLength(0);
});

test('nothing of this was a bug or ended in an unhandled error', () => {
  expect(gateway.logged.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
});
