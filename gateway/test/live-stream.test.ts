import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import { liveEventTypes } from '@ops/contracts/events';
import { eventually } from '@ops/test-kit/eventually';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { createLiveStream } from '../src/ops/live-stream.ts';
import { bearer, startTestGateway, startWithIssuer, type TestGateway } from './gateway.ts';
import type { TestIssuer } from './issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  ({ issuer, gateway } = await startWithIssuer({ heartbeatMs: 20 }));
});
afterAll(() => gateway.stop());

interface Listening {
  response: IncomingMessage;
  /** The next event, or undefined at the end of the stream. */
  next(): Promise<EventSourceMessage | undefined>;
  heartbeat(): Promise<void>;
  leave(): void;
}

async function listenTo({ port }: TestGateway, claims = {}): Promise<Listening> {
  const headers = { ...bearer(await issuer.token(claims)), accept: 'text/event-stream' };
  const request = httpRequest({ port, path: '/ops/stream', headers });
  request.on('error', () => {});
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const events: EventSourceMessage[] = [];
  const waiting: ((event: EventSourceMessage | undefined) => void)[] = [];
  const beats: (() => void)[] = [];
  const parser = createParser({
    onEvent: (event) => {
      if (event.event === 'heartbeat') for (const beat of beats.splice(0)) beat();
      else (waiting.shift() ?? ((one) => one && events.push(one)))(event);
    },
  });
  response.setEncoding('utf8').on('data', (text) => parser.feed(text));
  response.on('error', () => {}).on('close', () => waiting.splice(0).forEach((resolve) => void resolve(undefined)));
  return {
    response,
    next: async () => events.shift() ?? (response.closed ? undefined : new Promise((resolve) => waiting.push(resolve))),
    heartbeat: () => new Promise((resolve) => beats.push(resolve)),
    leave: () => request.destroy(),
  };
}

const change: Envelope = {
  specversion: '1.0',
  id: '0198f3a0-0000-7000-8000-000000000001',
  source: 'comms-service',
  type: 'communication.changed',
  subject: 'C-1001',
  time: '2026-01-02T03:04:05Z',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  data: { customer_id: 'C-1001', change: 'created', communication_id: 'x\ny' },
};

test('the first event is reset, then changes follow as they happen', async () => {
  const client = await listenTo(gateway);
  expect(client.response.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    connection: 'close',
    'api-version': '1',
  });
  expect(await client.next()).toMatchObject({ event: 'reset', data: '{}' });
  gateway.bus.listener?.event(change);
  const event = await client.next();
  expect(event).toMatchObject({ event: 'communication.changed', id: undefined });
  const { id, type, subject, time, data } = change;
  expect(JSON.parse(event?.data ?? '')).toEqual({ id, type, subject, time, data });
  client.leave();
});

test('what the bus may carry to screens is what the catalogue marks as live', () => {
  expect(gateway.bus.types).toEqual(liveEventTypes);
});

test('every open stream hears a change, and reset when the bus was away', async () => {
  const clients = await Promise.all([listenTo(gateway), listenTo(gateway), listenTo(gateway)]);
  for (const client of clients) expect((await client.next())?.event).toBe('reset');
  gateway.bus.listener?.event(change);
  gateway.bus.listener?.reset();
  for (const client of clients) {
    expect((await client.next())?.event).toBe('communication.changed');
    expect((await client.next())?.event).toBe('reset');
    client.leave();
  }
});

test('heartbeats that a page can hear keep coming while nothing happens', async () => {
  const client = await listenTo(gateway);
  await client.heartbeat();
  await client.heartbeat();
  client.leave();
});

test('the stream ends when the token does', async () => {
  const client = await listenTo(gateway, { exp: Math.floor(Date.now() / 1000) + 1 });
  expect((await client.next())?.event).toBe('reset');
  expect(await client.next()).toBeUndefined();
  expect(client.response.complete).toBe(true);
});

test('a token that ends in a year does not end the stream at once', async () => {
  const client = await listenTo(gateway, { exp: Math.floor(Date.now() / 1000) + 365 * 86_400 });
  await client.heartbeat();
  client.leave();
});

test('a client that does not read is cut off, the others go on', async () => {
  const slow = await listenTo(gateway);
  const brisk = await listenTo(gateway);
  expect((await brisk.next())?.event).toBe('reset');
  slow.response.pause();
  const cut = new Promise((resolve) => slow.response.once('close', resolve));
  const large = { ...change, data: { filler: 'x'.repeat(64 * 1024) } };
  for (let i = 0; i < 400; i++) {
    gateway.bus.listener?.event(large);
    expect((await brisk.next())?.event).toBe('communication.changed');
  }
  slow.response.resume();
  await cut;
  expect(slow.response.complete).toBe(false);
  brisk.leave();
});

test('stopping ends open streams, and takes no new ones', async () => {
  const stopping = await startTestGateway({ issuer: issuer.url });
  const client = await listenTo(stopping);
  expect((await client.next())?.event).toBe('reset');
  await stopping.stop();
  expect(await client.next()).toBeUndefined();
  expect(stopping.bus.listener).toBeUndefined();
});

test('until the bus can be heard it is tried again', async () => {
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  let attempts = 0;
  const tap = async () => {
    if (++attempts < 3) throw new Error('the broker is away');
    resolve();
    return { close: async () => {} };
  };
  const live = createLiveStream({ bus: { tap }, logger: { warn: () => {} } as never, retryMs: 1 });
  live.start();
  expect(live.listening()).toBe(false);
  await heard;
  await live.close();
  expect(attempts).toBe(3);
});

test('HEAD tells the headers and holds nothing open', async () => {
  const request = httpRequest({
    port: gateway.port,
    path: '/ops/stream',
    method: 'HEAD',
    headers: bearer(await issuer.token()),
  });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  expect(response.statusCode).toBe(200);
});

test('one person has fifty of them open at once and no more, until one is closed; others have theirs', async () => {
  const sub = 'with-many-screens';
  const screens = await Promise.all(Array.from({ length: 50 }, () => listenTo(gateway, { sub })));
  expect(screens.map(({ response }) => response.statusCode)).toEqual(Array(50).fill(200));
  const refused = await listenTo(gateway, { sub });
  expect(refused.response).toMatchObject({ statusCode: 429, headers: { 'retry-after': '60' } });
  expect((await listenTo(gateway, { sub: 'somebody-else' })).response.statusCode).toBe(200);
  screens[0]?.leave();
  await eventually(async () => {
    const again = await listenTo(gateway, { sub });
    screens.push(again);
    expect(again.response.statusCode).toBe(200);
  });
  for (const screen of screens) screen.leave();
});

test('who has left before it is known who they are takes no place for ever', async () => {
  const live = createLiveStream({ bus: { tap: async () => ({ close: async () => {} }) }, logger: {} as never });
  const left = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, res) => {
    res.once('close', () => left.resolve(res));
    request.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const request = httpRequest({ port: (server.address() as AddressInfo).port });
  request.on('error', () => {}).end();
  const gone = (await left.promise) as never;
  const caller = { actor: { sub: 'hasty', role: 'staff' }, expiresAt: new Date(Date.now() + 60_000) } as never;
  for (let n = 0; n < 60; n++) live.open(gone, caller);
  expect(live.clients()).toBe(0);
  await live.close();
  server.close();
});
