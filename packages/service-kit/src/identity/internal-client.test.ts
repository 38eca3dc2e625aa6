import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { currentTrace } from '@ops/bus/trace';
import type { InternalRouteSpec } from '@ops/contracts/internal-routes';
import { z } from 'zod';
import { logLines, testRoute } from '../../test/app.ts';
import { createProvisionedDatabase, type TestDatabase } from '../../test/database.ts';
import { createTestSigner } from '../../test/tokens.ts';
import { type Db, openDatabase } from '../database/database.ts';
import { notFound } from '../errors.ts';
import { createHttpApp } from '../http/http-app.ts';
import { type HttpServer, listen } from '../http/http-server.ts';
import { createMetrics } from '../observing/metrics.ts';
import { createIdentitySigner, createIdentityVerifier, identityHeader } from './identity.ts';
import { createInternalClient, InternalCallError } from './internal-client.ts';

const none = z.strictObject({});
const route = <S extends InternalRouteSpec>(spec: S) => spec;
const shared = { owner: 'comms-service', callers: ['notifier'], summary: 'A route of this test' } as const;

const double = route({
  ...shared,
  method: 'POST',
  path: '/internal/numbers/:name',
  params: z.strictObject({ name: z.string() }),
  query: z.strictObject({ by: z.coerce.number().int() }),
  body: z.strictObject({ number: z.int() }),
  result: z.object({ name: z.string(), number: z.int(), request: z.string().nullable() }),
});
const picture = route({
  ...shared,
  method: 'GET',
  path: '/internal/pictures/:id',
  params: z.strictObject({ id: z.string() }),
  query: none,
});

const bytes = Buffer.from([0, 255, 13, 10, 128, 0]);
const page = testRoute({ method: 'GET', path: '/ops/page', roles: ['staff'], params: none, query: none });

const signers = {
  notifier: createTestSigner('notifier'),
  ingest: createTestSigner('webhook-ingest'),
  gateway: createTestSigner('gateway'),
};
const publicKeys = JSON.stringify({
  keys: Object.values(signers).flatMap((signer) => JSON.parse(signer.publicKeys).keys),
});

let database: TestDatabase;
let db: Db;
let server: HttpServer;
let commits = 0;
const { lines, logger } = logLines();

beforeAll(async () => {
  database = await createProvisionedDatabase();
  db = openDatabase(database.urls.comms, { applicationName: 'kit-test' });
  const http = createHttpApp({
    service: 'test',
    logger,
    db,
    metrics: createMetrics('test'),
    ready: async () => {},
    verifyIdentity: createIdentityVerifier(publicKeys, 'comms-service'),
    afterWrite: () => {
      commits += 1;
    },
  });
  http.internal(double, async ({ params, query, body }) => {
    if (body.number === 13) throw notFound('There is no such number');
    const request = currentTrace.getStore()?.requestId ?? null;
    return { body: { name: params.name, number: body.number * query.by, request } };
  });
  http.read(page, async () => ({ body: {} }));
  http.internal(picture, async ({ params }) => ({
    content: params.id === 'text' ? 'Grüezi' : bytes,
    mediaType: 'image/png',
  }));
  server = await listen(http.listener, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.close();
  await db.destroy();
  await database.drop();
});
beforeEach(() => {
  lines.length = 0;
});

const clientOf = (self: 'notifier' | 'webhook-ingest', privateKey: string, url = `http://127.0.0.1:${server.port}`) =>
  createInternalClient({ self, privateKey, urls: { 'comms-service': url }, timeoutMs: 5_000 });
const notifier = () => clientOf('notifier', signers.notifier.privateKey);
const asking = (number: number) => ({ params: { name: 'a/b c' }, query: { by: 3 }, body: { number } });

const failureOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof InternalCallError)) throw new Error('it did not fail as it should', { cause: error });
  return error;
};

test('a service asks another with path, query and body, and is answered with what the route promises', async () => {
  const before = commits;
  expect(await notifier().ask('comms-service', double, asking(7))).toMatchObject({ name: 'a/b c', number: 21 });
  expect(commits).toBe(before + 1);
});

test('who asks a service learns whether people ask it too', async () => {
  const [before, after] = [notifier(), notifier()];
  await before.ask('comms-service', double, asking(7));
  expect(before.metPeople()).toBe(false);
  const sign = createIdentitySigner(signers.gateway.privateKey);
  const headers = { [identityHeader]: await sign({ sub: 'ada', role: 'staff' }, 'comms-service') };
  expect((await fetch(`http://127.0.0.1:${server.port}${page.path}`, { headers })).status).toBe(200);
  await after.ask('comms-service', double, asking(7));
  expect([before.metPeople(), after.metPeople()]).toEqual([false, true]);
});

test('a file comes as it is', async () => {
  expect(await notifier().file('comms-service', picture, { params: { id: '1' } })).toEqual(bytes);
  const words = await notifier().file('comms-service', picture, { params: { id: 'text' } });
  expect(words.toString()).toBe('Grüezi');
});

const tidyMemory = () => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
};

test('what is streamed waits for whoever reads it later, whatever is tidied meanwhile, and is refused as any call is', async () => {
  const streams = await Promise.all(
    Array.from({ length: 20 }, () => notifier().stream('comms-service', picture, { params: { id: '1' } })),
  );
  for (let n = 0; n < 5; n++) {
    tidyMemory();
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const stream of streams) {
    const came: Uint8Array[] = [];
    for await (const piece of stream) came.push(piece);
    expect(Buffer.concat(came)).toEqual(bytes);
  }
  const stranger = clientOf('webhook-ingest', signers.ingest.privateKey);
  expect((await failureOf(stranger.stream('comms-service', picture, { params: { id: '1' } }))).status).toBe(403);
});

test('a call goes on with the request it belongs to', async () => {
  const trace = { requestId: 'request-1', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  const answer = await currentTrace.run(trace, () => notifier().ask('comms-service', double, asking(1)));
  expect(answer.request).toBe('request-1');
});

test('who is not named by the route is refused, whatever it says of itself', async () => {
  const stranger = createTestSigner('notifier');
  const others = [
    clientOf('webhook-ingest', signers.ingest.privateKey),
    clientOf('notifier', signers.ingest.privateKey),
    clientOf('notifier', stranger.privateKey),
  ];
  const statuses = others.map(
    async (client) => (await failureOf(client.ask('comms-service', double, asking(1)))).status,
  );
  expect(await Promise.all(statuses)).toEqual([403, 403, 401]);
});

test('an identity for another service, or none, opens nothing', async () => {
  const url = `http://127.0.0.1:${server.port}/internal/pictures/1`;
  const elsewhere = await signers.notifier.headers({ sub: 'notifier', role: 'admin' }, 'webhook-ingest');
  for (const headers of [elsewhere, {}, { [identityHeader]: 'nonsense' }])
    expect((await fetch(url, { headers })).status).toBe(401);
});

test('what the route does not allow is refused by its fields', async () => {
  const signed = await signers.notifier.headers({ sub: 'notifier', role: 'automation' }, 'comms-service');
  const answer = await fetch(`http://127.0.0.1:${server.port}/internal/numbers/a?by=x`, {
    method: 'POST',
    headers: { ...signed, 'content-type': 'application/json' },
    body: '{"number":"1","more":1}',
  });
  const { errors } = (await answer.json()) as { errors: { path: string }[] };
  expect([answer.status, errors.map(({ path }) => path).sort()]).toEqual([422, ['by', 'more', 'number']]);
});

test("a refusal is told by its status; an answer that does not keep the route's promise is no answer, nor an absence", async () => {
  expect(await failureOf(notifier().ask('comms-service', double, asking(13)))).toMatchObject({ status: 404 });
  const broken = { ...double, result: z.object({ name: z.int() }) };
  const failure = await failureOf(notifier().ask('comms-service', broken, asking(1)));
  expect(failure).toMatchObject({ status: 200, away: false });
  expect(failure.cause).toBeInstanceOf(z.ZodError);
});

test('an answer that is no JSON at all is no answer', async () => {
  const other = await startOther((_req, res) => res.end('<html>'));
  const client = clientOf('notifier', signers.notifier.privateKey, other.url);
  const failure = await failureOf(client.ask('comms-service', double, asking(1)));
  expect(failure).toMatchObject({ status: 200, away: false, cause: expect.any(SyntaxError) });
  await other.close();
});

/** Answers, or does not, as the test says. */
async function startOther(answer: Parameters<typeof createServer>[1]) {
  const other = createServer({}, answer);
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
    close: () => {
      other.closeAllConnections();
      return new Promise((resolve) => other.close(resolve));
    },
  };
}

test('a service that is away, silent, breaks off or sends elsewhere could not be asked', async () => {
  const gone = await startOther(() => {});
  await gone.close();
  const silent = await startOther(() => {});
  const breaking = await startOther((_req, res) => {
    res.writeHead(200, { 'Content-Length': '100' }).write('{');
    setImmediate(() => res.destroy());
  });
  const sending = await startOther((_req, res) => res.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end());
  for (const { url } of [gone, silent, breaking, sending]) {
    const client = createInternalClient({
      self: 'notifier' as const,
      privateKey: signers.notifier.privateKey,
      timeoutMs: 300,
      urls: { 'comms-service': url },
    });
    const failure = await failureOf(client.file('comms-service', picture, { params: { id: '1' } }));
    expect(failure).toMatchObject({ status: undefined, away: true });
  }
  await Promise.all([silent.close(), breaking.close(), sending.close()]);
});

test('a connection that nobody uses is given up by who asks, as it was told to, and not by who is asked', async () => {
  const { promise: first, resolve } = Promise.withResolvers<string>();
  const asked = await listen(
    (req, res) => {
      for (const event of ['end', 'close']) req.socket.once(event, () => resolve(event));
      res.end(bytes);
    },
    { host: '127.0.0.1', port: 0 },
  );
  const client = clientOf('notifier', signers.notifier.privateKey, `http://127.0.0.1:${asked.port}`);
  await client.file('comms-service', picture, { params: { id: '1' } });
  expect(await first).toBe('end');
  await asked.close();
});

test('what only reads is asked once more where its connection ended, and what may have been begun is not', async () => {
  let seen = 0;
  const ending = await startOther((req, res) => {
    seen += 1;
    if (seen === 1) req.socket.destroy();
    else res.end(bytes);
  });
  const client = clientOf('notifier', signers.notifier.privateKey, ending.url);
  expect(await client.file('comms-service', picture, { params: { id: '1' } })).toEqual(bytes);
  seen = 0;
  await failureOf(client.ask('comms-service', double, asking(1)));
  expect(seen).toBe(1);
  await ending.close();
});

test.each([
  ...[502, 503, 504].map((status) => [status, true] as const),
  ...[400, 404, 422, 429, 500].map((status) => [status, false] as const),
])('an answer of %i says that it is away: %s', async (status, away) => {
  const other = await startOther((_req, res) => res.writeHead(status).end());
  const client = clientOf('notifier', signers.notifier.privateKey, other.url);
  const failure = await failureOf(client.file('comms-service', picture, { params: { id: '1' } }));
  expect(failure).toMatchObject({ status, away });
  await other.close();
});

test('a service whose address was not given is a mistake of ours, not its absence', async () => {
  const client = createInternalClient({ self: 'notifier', privateKey: signers.notifier.privateKey, urls: {} });
  await expect(client.file('comms-service', picture, { params: { id: '1' } })).rejects.toThrow(TypeError);
});
