import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { problem } from '@ops/contracts/problem';
import { text } from '@ops/contracts/text';
import { z } from 'zod';
import { startTestApp, type TestApp, testRoute } from '../../test/app.ts';
import { conflict } from '../errors.ts';
import { identityHeader } from '../identity/identity.ts';

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

async function* pieces() {
  yield 'one, ';
  yield Buffer.from('two');
}
async function* broken() {
  yield 'one, ';
  throw new Error('the disk is gone');
}

let app: TestApp;
let taken: { bytes: Buffer; mediaType: string; name: string }[] = [];
let underWay = { now: 0, most: 0 };

beforeAll(async () => {
  app = await startTestApp((http) => {
    http.write(upload, async ({ body: { chunks, size, mediaType }, query: { name } }) => {
      underWay = { now: underWay.now + 1, most: Math.max(underWay.most, underWay.now + 1) };
      const [first, bytes] = [await buffer(chunks()), await buffer(chunks())];
      underWay.now -= 1;
      if (name === 'bug') throw new Error('no more of this');
      expect([size, first.equals(bytes)]).toEqual([bytes.length, true]);
      taken.push({ bytes, mediaType, name });
      return { body: { runs: taken.length } };
    });
    http.file(file, async ({ params }) => {
      if (params.kind === 'none') throw conflict('There is none yet');
      if (params.kind === 'bug') throw new Error('the secret of the house');
      if (params.kind === 'pieces') return { content: pieces(), mediaType: 'text/csv' };
      if (params.kind === 'broken') return { content: broken(), mediaType: 'text/csv' };
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
    'image/png',
    '6',
    'inline',
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

test('an upload is read in pieces, from its beginning each time, and of many at once the others wait on disk', async () => {
  const all = Buffer.alloc(mostBytes, 'large ');
  underWay = { now: 0, most: 0 };
  const sent = Array.from({ length: 8 }, (_, n) => post(n % 2 ? all : new Blob([all]).stream()));
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200));
  expect(taken.filter(({ bytes }) => bytes.equals(all))).toHaveLength(8);
  expect(underWay.most).toBeLessThanOrEqual(2);
});

test('nothing of an upload is left, whatever became of it', async () => {
  const spooled = async () => {
    const links = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    return links.filter((target) => target.includes('/ops-'));
  };
  await post(bytes);
  await post(bytes, {}, 'bug');
  await post(Buffer.alloc(mostBytes + 1));
  expect(process.platform === 'linux' ? await spooled() : []).toEqual([]);
});

test('a file in pieces is sent as it comes, and one that breaks off is seen to be not whole', async () => {
  const get = async (kind: string) =>
    fetch(`${app.origin}/ops/files/${kind}`, { headers: { [identityHeader]: await app.token() } });
  const whole = await get('pieces');
  expect([whole.headers.get('content-type'), await whole.text()]).toEqual(['text/csv', 'one, two']);
  const part = await get('broken');
  await expect(part.text()).rejects.toThrow();
});
