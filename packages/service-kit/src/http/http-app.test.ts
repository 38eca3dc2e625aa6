import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { currentTrace } from '@ops/bus/trace';
import { pageQuery } from '@ops/contracts/pagination';
import { problem } from '@ops/contracts/problem';
import { customerId, text } from '@ops/contracts/text';
import fc from 'fast-check';
import { z } from 'zod';
import { startTestApp, type TestApp, testRoute } from '../../test/app.ts';
import { conflict } from '../errors.ts';
import { identityHeader } from '../identity/identity.ts';
import { requireMatch } from './preconditions.ts';

const person = z.strictObject({
  name: text(1, 20),
  phones: z.array(text(1, 10)).max(3).default([]),
  extra: z.record(z.string(), z.unknown()).optional(),
});
const byId = z.strictObject({ id: customerId });

const write = testRoute({
  method: 'PUT',
  path: '/ops/people/:id',
  params: byId,
  query: z.strictObject({}),
  body: person,
});
const list = testRoute({
  method: 'GET',
  path: '/ops/people',
  params: z.strictObject({}),
  query: z.strictObject(pageQuery),
});
const one = testRoute({ method: 'GET', path: '/ops/people/:id', params: byId, query: z.strictObject({}) });
const read = testRoute({
  method: 'PATCH',
  path: '/ops/people/:id/read',
  params: byId,
  query: z.strictObject({}),
  body: z.strictObject({ up_to: z.string().optional() }),
  bodyOptional: true,
});
const fail = testRoute({
  method: 'POST',
  path: '/ops/failures/:id',
  params: z.strictObject({ id: z.string() }),
  query: z.strictObject({}),
  success: { 202: z.unknown() },
});

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp((http) => {
    http.write(write, async ({ body, params, ifMatch }) => {
      requireMatch(ifMatch, 3);
      return { body: { ...body, id: params.id, trace: currentTrace.getStore() }, etag: '3' };
    });
    http.read(list, async ({ query }) => ({ body: query }));
    http.read(one, async ({ params }) => ({ body: params, etag: '3' }));
    http.write(read, async ({ body }) => ({ body }));
    http.write(fail, async ({ trx, params }) => {
      await trx.raw('CREATE TABLE half_done (id int)');
      if (params.id === 'bug') throw new Error('the secret of the house');
      if (params.id === 'conflict') throw conflict('Not in this state');
      if (params.id === 'gone') await trx.raw('SELECT pg_terminate_backend(pg_backend_pid())');
      if (params.id === 'own-data') z.string().parse(1);
      return { body: null };
    });
  });
});
afterAll(() => app.close());

const put = (
  raw: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
) => app.call('PUT', '/ops/people/C-1', { raw, headers });
const valid = { name: 'Demo', phones: ['1'] };

test('a valid request is answered with its parsed body, a strong ETag, the API version and a request id', async () => {
  const { status, headers, json } = await app.call('PUT', '/ops/people/C-1', { body: valid });
  expect(status).toBe(200);
  expect(json).toMatchObject({ name: 'Demo', phones: ['1'], id: 'C-1' });
  expect(headers.get('etag')).toBe('"3"');
  expect(headers.get('api-version')).toBe('1');
  expect(headers.get('x-request-id')).toBe(json.trace.requestId);
  expect(headers.get('x-powered-by')).toBeNull();
});

test('without a status of its own a reply takes the lowest success status of the route', async () => {
  expect((await app.call('POST', '/ops/failures/none')).status).toBe(202);
  await app.db.raw('DROP TABLE half_done');
});

test.each([
  ['truncated JSON', '{"name": "De', 400],
  ['no JSON at all', 'name=Demo', 400],
  ['two documents', '{}{}', 400],
  ['only white space', '  ', 400],
  ['a string', '"text"', 422],
  ['an array', '[]', 422],
  ['null', 'null', 422],
  ['a number', '7', 422],
])('a body that is %s', async (_what, raw, status) => {
  const answer = await put(raw);
  expect(answer.status).toBe(status);
  expect(problem.parse(answer.json)).toEqual(answer.json);
  if (status === 422) expect(answer.json.errors).toMatchObject([{ path: '$' }]);
});

test.each([
  ['no Content-Type', {}],
  ['another Content-Type', { 'Content-Type': 'text/plain' }],
  ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ['a broken Content-Type', { 'Content-Type': ';;' }],
  ['another charset', { 'Content-Type': 'application/json; charset=utf-16' }],
  ['Latin 1', { 'Content-Type': 'application/json; charset="iso-8859-1"' }],
])('a body with %s is refused with 415', async (_what, headers) => {
  expect((await put(Buffer.from(JSON.stringify(valid)), headers)).status).toBe(415);
});

test.each(['gzip', 'deflate', 'br', 'zstd', 'GZIP', 'identity, gzip'])(
  'a body encoded as %s is refused unread',
  async (encoding) => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const answer = await put(bomb, { 'Content-Type': 'application/json', 'Content-Encoding': encoding });
    expect(answer.status).toBe(415);
  },
);

test.each(['application/json; charset=UTF-8', 'application/json;charset="utf-8"', 'application/cloudevents+json'])(
  'a body of %s is read',
  async (type) => expect((await put(JSON.stringify(valid), { 'Content-Type': type })).status).toBe(200),
);

test('bytes that are not UTF-8 are refused, not replaced', async () => {
  expect((await put(Buffer.from('{"name":"\xff"}', 'latin1'))).status).toBe(400);
});

test('a body over 1 MiB is refused with 413, with and without an announced length', async () => {
  const large = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
  expect((await put(large)).status).toBe(413);
  const streamed = new Blob([large]).stream();
  const answer = await app.call('PUT', '/ops/people/C-1', {
    raw: streamed,
    headers: { 'Content-Type': 'application/json' },
  });
  expect(answer.status).toBe(413);
});

test('every bad part of a request is named at once: parameter, query and field, unknown ones by their own name', async () => {
  const body = { phones: ['1', 7], nickname: 'x', 'a.b': 1 };
  const { status, json } = await app.call('PUT', '/ops/people/bad%20id?colour=red', { body });
  expect(status).toBe(422);
  expect(json.errors.map((error) => error.path).sort()).toEqual(
    ['a.b', 'colour', 'id', 'name', 'nickname', 'phones.1'].sort(),
  );
  expect(json.errors).toContainEqual({ path: 'name', message: 'is required' });
  expect(json.errors).toContainEqual({ path: 'nickname', message: 'is not a known field' });
});

test('a query parameter given twice is named, whatever its type', async () => {
  for (const query of ['limit=1&limit=2', 'cursor=a&cursor=b']) {
    const { status, json } = await app.call('GET', `/ops/people?${query}`);
    expect([status, json.errors]).toEqual([422, [{ path: query.split('=')[0], message: 'must be given once' }]]);
  }
});

test.each([
  'limit=0',
  'limit=201',
  'limit=',
  'limit=ten',
  'limit=1.5',
  'limit=1e999',
  'limit[]=1',
  '__proto__=1',
  'cursor=',
])('the query %s is refused by name', async (query) => {
  const { status, json } = await app.call('GET', `/ops/people?${query}`);
  expect(status).toBe(422);
  expect(json.errors[0]?.path).toBe(query.split('=')[0]);
});

test.each(['%00', '%EF%BF%BF', 'a%2Fb', 'x'.repeat(65), '%F0%9F%98%80'])('the id %s is refused by name', async (id) => {
  const { status, json } = await app.call('GET', `/ops/people/${id}`);
  expect([status, json.errors[0]?.path]).toEqual([422, 'id']);
});

test('keys that would reach a prototype are refused and reach none', async () => {
  for (const raw of [
    '{"name":"a","__proto__":{"polluted":1}}',
    '{"name":"a","extra":{"x":{"__proto__":{"polluted":1}}}}',
  ]) {
    const { status, json } = await put(raw);
    expect(status).toBe(422);
    expect(json.errors[0]?.path).toMatch(/__proto__$/);
  }
  const { status, json } = await put('{"name":"a","constructor":1,"toString":2}');
  expect(status).toBe(422);
  expect(json.errors.map((error) => error.path)).toEqual(['constructor', 'toString']);
  expect({}).not.toHaveProperty('polluted');
});

test('nesting without end is refused and does not end the process', async () => {
  const levels = 150_000;
  for (const raw of [
    '['.repeat(levels) + ']'.repeat(levels),
    `{"name":"a","extra":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`,
  ]) {
    const { status, json } = await put(raw);
    expect(status).toBe(422);
    expect(json.errors[0]?.message).toBe('is nested too deeply');
  }
});

test('however many fields are wrong, the answer stays small', async () => {
  const { status, text: answer } = await put(`{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join()}}`);
  expect(status).toBe(422);
  expect(answer.length).toBeLessThan(10_000);
});

test('a route whose body is optional works with no body and no Content-Type, and with an empty one', async () => {
  expect(await app.call('PATCH', '/ops/people/C-1/read')).toMatchObject({ status: 200, json: {} });
  expect(await app.call('PATCH', '/ops/people/C-1/read', { raw: '' })).toMatchObject({ status: 200, json: {} });
  expect(await app.call('PATCH', '/ops/people/C-1/read', { body: { up_to: 'a' } })).toMatchObject({
    json: { up_to: 'a' },
  });
  expect((await app.call('PATCH', '/ops/people/C-1/read', { body: { upto: 'a' } })).json.errors[0]?.path).toBe('upto');
});

test('a body sent in chunks that turn out to be none is a body left out', async () => {
  const chunked = async (method: string, path: string) => {
    const headers = { [identityHeader]: await app.token(), 'Transfer-Encoding': 'chunked' };
    const sent = request(`${app.origin}${path}`, { method, headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, json: JSON.parse(await textOf(answer)) };
  };
  expect(await chunked('PATCH', '/ops/people/C-1/read')).toEqual({ status: 200, json: {} });
  expect(await chunked('PUT', '/ops/people/C-1')).toMatchObject({ status: 422, json: { errors: [{ path: 'name' }] } });
});

test('a body that is required and left out: the missing fields are named', async () => {
  expect((await app.call('PUT', '/ops/people/C-1')).json.errors).toEqual([{ path: 'name', message: 'is required' }]);
});

test('a malformed percent-encoding in the path is 400, an unknown path 404, a wrong method 405 with Allow', async () => {
  expect((await app.call('GET', '/ops/people/%zz')).status).toBe(400);
  expect((await app.call('GET', '/ops/people/%C3%28')).status).toBe(400);
  for (const path of ['/', '/ops/nothing', '/ops/People/C-1', '/ops/people/C-1/', '//ops/people'])
    expect([path, (await app.call('GET', path)).status]).toEqual([path, 404]);
  const { status, headers, json } = await app.call('DELETE', '/ops/people/C-1');
  expect([status, headers.get('allow'), json.code]).toEqual([405, 'PUT, GET', 'method_not_allowed']);
});

test('every refusal is problem+json with the request id it can be found by', async () => {
  for (const [method, path] of [
    ['GET', '/nowhere'],
    ['DELETE', '/ops/people'],
    ['PUT', '/ops/people/C-1'],
  ] as const) {
    const { headers, json } = await app.call(method, path);
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(problem.parse(json).request_id).toBe(headers.get('x-request-id'));
  }
});

test('no identity is 401 and a role the route does not name is 403, before anything is said about the request', async () => {
  expect((await app.call('PUT', '/ops/people/bad%20id', { actor: null, body: {} })).status).toBe(401);
  const customer = { sub: 'C-1', role: 'customer' } as const;
  expect((await app.call('PUT', '/ops/people/bad%20id', { actor: customer, body: {} })).status).toBe(403);
});

test('what another service says of a person opens nothing: that is the gateway’s to say', async () => {
  const headers = { [identityHeader]: await app.tokenOfPeer({ sub: 'agent-1', role: 'admin' }) };
  const { status, json } = await app.call('GET', '/ops/people?limit=1', { actor: null, headers });
  expect({ status, detail: json.detail }).toEqual({ status: 403, detail: 'Not for notifier' });
});

test('If-Match holds back a change that is based on another version', async () => {
  const status = async (tag: string) =>
    (await app.call('PUT', '/ops/people/C-1', { body: valid, headers: { 'If-Match': tag } })).status;
  expect(await Promise.all(['"3"', '*', '"1", "3"', '"2"', 'W/"3"', '3'].map(status))).toEqual([
    200, 200, 200, 412, 412, 412,
  ]);
});

test('the same ETag again is answered in full, never with 304', async () => {
  expect((await app.call('GET', '/ops/people/C-1', { headers: { 'If-None-Match': '"3"' } })).status).toBe(200);
});

test('a caller keeps its request id and its trace; malformed ones are replaced', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
  const kept = await app.call('PUT', '/ops/people/C-1', {
    body: valid,
    headers: { 'X-Request-Id': 'a.b-C_1', traceparent },
  });
  expect(kept.headers.get('x-request-id')).toBe('a.b-C_1');
  expect(kept.json.trace.traceparent).toMatch(
    /^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-00$/,
  );
  const bad = { 'X-Request-Id': 'a b', traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` };
  const replaced = await app.call('PUT', '/ops/people/C-1', { body: valid, headers: bad });
  expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(replaced.json.trace.traceparent).not.toContain('0'.repeat(32));
});

test('a bug is a 500 that tells the caller nothing and the log everything, and what it wrote is undone', async () => {
  app.lines.length = 0;
  const { status, text: answer, headers } = await app.call('POST', '/ops/failures/bug');
  expect(status).toBe(500);
  expect(answer).not.toContain('secret');
  const logged = app.lines.map((line) => JSON.parse(line)).find((line) => line.level === 'error');
  expect(logged).toMatchObject({
    err: { message: 'the secret of the house' },
    request_id: headers.get('x-request-id'),
  });
  expect(await app.db.schema.hasTable('half_done')).toBe(false);
});

test('own data that fail their own schema are a bug, not a mistake of the caller', async () => {
  expect((await app.call('POST', '/ops/failures/own-data')).status).toBe(500);
});

test('a refusal of the use case undoes what it wrote and is not logged as an error', async () => {
  app.lines.length = 0;
  expect(await app.call('POST', '/ops/failures/conflict')).toMatchObject({
    status: 409,
    json: { detail: 'Not in this state' },
  });
  expect(await app.db.schema.hasTable('half_done')).toBe(false);
  expect(app.lines.filter((line) => /"level":"(error|warn)"/.test(line))).toEqual([]);
});

test('a database lost in the middle is 503 with Retry-After, and the next request works', async () => {
  const { status, headers } = await app.call('POST', '/ops/failures/gone');
  expect([status, headers.get('retry-after')]).toEqual([503, '2']);
  expect((await app.call('PUT', '/ops/people/C-1', { body: valid })).status).toBe(200);
});

test('a request is counted under the path of its route, never under an id', async () => {
  await app.call('GET', '/ops/people/C-99');
  await app.call('GET', '/nothing/here');
  const metrics = await app.metrics.registry.metrics();
  expect(metrics).toContain('route="/ops/people/:id"');
  expect(metrics).toContain('route="unmatched"');
  expect(metrics).not.toContain('C-99');
});

test('whatever is sent, the answer is a success or a problem below 500', async () => {
  const json = fc.json({ depthSize: 'large' });
  const almost = fc.record({ name: fc.anything(), phones: fc.anything(), extra: fc.object() }, { requiredKeys: [] });
  const body = fc.oneof(
    json,
    almost.map((value) => safeJson(value)),
    fc.string(),
    fc.string({ unit: 'binary' }),
  );
  const type = fc.oneof(
    { weight: 5, arbitrary: fc.constant('application/json') },
    fc.constantFrom('text/plain', 'a/b;c', 'application/json; charset=x'),
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), body, type, async (id, raw, contentType) => {
      const path = `/ops/people/${encodeURIComponent(id.toWellFormed()) || 'x'}`;
      const { status, json: answer } = await app.call('PUT', path, { raw, headers: { 'Content-Type': contentType } });
      expect(status).toBeLessThan(500);
      if (status !== 200) expect(problem.parse(answer).status).toBe(status);
      if (status === 422) expect(answer.errors[0]?.path).not.toBe('');
    }),
    { numRuns: 400, seed: 7 },
  );
});

const safeJson = (value: unknown) => {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '{}';
  }
};
