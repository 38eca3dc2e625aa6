import { once } from 'node:events';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { problem } from '@ops/contracts/problem';
import { text } from '@ops/contracts/text';
import { z } from 'zod';
import { conflict } from './errors.ts';
import { identityHeader } from './identity.ts';
import type { UploadedFile } from './request-input.ts';
import { startTestApp, type TestApp, testRoute } from './test-app.ts';

const none = z.strictObject({});
const mostBytes = 2 * 1024 * 1024;

const upload = {
  ...testRoute({ method: 'POST', path: '/ops/files', params: none, query: z.strictObject({ name: text(1, 20) }) }),
  upload: { mostBytes },
};
const file = testRoute({
  method: 'GET',
  path: '/ops/files/:kind',
  params: z.strictObject({ kind: z.string() }),
  query: none,
  mediaType: '*/*',
});

const bytes = Buffer.from([0, 255, 13, 10, 128, 0]);

let app: TestApp;
let taken: (UploadedFile & { name: string })[] = [];

beforeAll(async () => {
  app = await startTestApp((http) => {
    http.write(upload, async ({ body, query }) => {
      taken.push({ ...body, name: query.name });
      return { body: { runs: taken.length } };
    });
    http.file(file, async ({ params }) => {
      if (params.kind === 'none') throw conflict('There is none yet');
      if (params.kind === 'bug') throw new Error('the secret of the house');
      if (params.kind === 'text') return { content: 'Grüezi', mediaType: 'text/plain; charset=utf-8' };
      return { content: bytes, mediaType: 'image/png', headers: { 'Content-Disposition': 'inline' } };
    });
  });
});
afterAll(() => app.close());
beforeEach(() => {
  taken = [];
});

const post = (raw: BodyOf, headers: Record<string, string> = { 'Content-Type': 'image/png' }, name = 'a.png') =>
  app.call('POST', `/ops/files?name=${name}`, { raw, headers });
type BodyOf = NonNullable<RequestInit['body']>;

test('a file is answered as it is, to be taken for nothing else and kept nowhere', async () => {
  const response = await fetch(`${app.origin}/ops/files/picture`, { headers: { [identityHeader]: await app.token() } });
  expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
  const header = (name: string) => response.headers.get(name);
  expect([header('content-type'), header('content-length'), header('content-disposition')]).toEqual([
    ...['image/png', '6', 'inline'],
  ]);
  expect([header('x-content-type-options'), header('cache-control')]).toEqual(['nosniff', 'no-store']);
  const words = await fetch(`${app.origin}/ops/files/text`, { headers: { [identityHeader]: await app.token() } });
  expect([words.headers.get('content-length'), await words.text()]).toEqual(['7', 'Grüezi']);
});

test('a file that is refused is a problem like any other', async () => {
  expect((await app.call('GET', '/ops/files/picture', { actor: null })).status).toBe(401);
  expect((await app.call('GET', '/ops/files/picture', { actor: { sub: 'C-1', role: 'customer' } })).status).toBe(403);
  const refused = await app.call('GET', '/ops/files/none');
  expect([refused.status, problem.parse(refused.json).detail]).toEqual([409, 'There is none yet']);
  const bug = await app.call('GET', '/ops/files/bug');
  expect([bug.status, bug.text.includes('secret')]).toEqual([500, false]);
});

test('an upload is taken byte for byte, whatever its type, with its query', async () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  expect(await post(all)).toMatchObject({ status: 200, json: { runs: 1 } });
  expect(taken).toEqual([{ bytes: all, mediaType: 'image/png', name: 'a.png' }]);
  await post('{"looks like":"JSON"', { 'Content-Type': 'application/json' });
  expect(taken[1]?.bytes.toString()).toBe('{"looks like":"JSON"');
});

test.each([
  ['Image/PNG; charset=x', 'image/png'],
  ['application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text'],
  ['nonsense', 'application/octet-stream'],
  ['text/html<script>', 'application/octet-stream'],
])('a Content-Type of %s is taken for %s', async (given, mediaType) => {
  await post(bytes, { 'Content-Type': given });
  expect(taken[0]?.mediaType).toBe(mediaType);
});

test('a file up to the limit is taken, one over it is not, however it is sent', async () => {
  expect((await post(Buffer.alloc(mostBytes))).status).toBe(200);
  expect((await post(Buffer.alloc(mostBytes + 1))).status).toBe(413);
  expect((await post(new Blob([Buffer.alloc(mostBytes + 1)]).stream())).status).toBe(413);
  expect(taken).toHaveLength(1);
});

test('a file announced as too large is refused before it is sent', async () => {
  const sent = request(`${app.origin}/ops/files?name=a`, {
    method: 'POST',
    headers: { [identityHeader]: await app.token(), 'Content-Length': String(mostBytes + 1) },
  });
  sent.on('error', () => {});
  sent.flushHeaders();
  const [answer] = await once(sent, 'response');
  expect(answer.statusCode).toBe(413);
  sent.destroy();
});

test('no file, an empty one, a compressed one and a missing name are refused; nothing is taken', async () => {
  expect((await app.call('POST', '/ops/files?name=a')).status).toBe(400);
  expect((await post('')).status).toBe(400);
  expect((await post(gzipSync(bytes), { 'Content-Encoding': 'gzip' })).status).toBe(415);
  expect(await app.call('POST', '/ops/files', { raw: bytes })).toMatchObject({
    status: 422,
    json: { errors: [{ path: 'name' }] },
  });
  expect((await app.call('POST', '/ops/files?name=a', { raw: bytes, actor: null })).status).toBe(401);
  expect(taken).toEqual([]);
});

test('an upload is done once for its Idempotency-Key, and another file under the key is refused', async () => {
  const once = { 'Content-Type': 'image/png', 'Idempotency-Key': 'upload' };
  const twins = await Promise.all([1, 2, 3].map(() => post(bytes, once)));
  expect(twins.map(({ status, json }) => [status, json.runs])).toEqual(Array(3).fill([200, 1]));
  expect(taken).toHaveLength(1);
  expect(await post(Buffer.from('other'), once)).toMatchObject({
    status: 422,
    json: { code: 'idempotency_key_reused' },
  });
  expect(await post(bytes, once, 'b.png')).toMatchObject({ status: 422 });
});
