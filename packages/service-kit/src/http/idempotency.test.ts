import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { z } from 'zod';
import { startTestApp, type TestApp, testRoute } from '../../test/app.ts';
import { conflict } from '../errors.ts';
import { purgeIdempotencyKeys } from './idempotency.ts';

const none = z.strictObject({});
const body = z.strictObject({ name: z.string().optional(), with: z.record(z.string(), z.unknown()).optional() });
const params = z.strictObject({ id: z.string() });
const route = testRoute({
  method: 'POST',
  path: '/ops/jobs/:id',
  params,
  query: none,
  body,
  bodyOptional: true,
  success: { 201: z.unknown() },
});
const work = testRoute({ method: 'POST', path: '/ops/works/:id', params, query: none, body, bodyOptional: true });
const patch = testRoute({ method: 'PATCH', path: '/ops/jobs/:id', params, query: none });

/** What the use case does the next time: returns, refuses, or fails; and how long it takes. */
let outcome: () => Promise<void>;
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp((http) => {
    http.write(route, async ({ trx, params: { id } }) => {
      await trx('effects').insert({ job: id });
      await outcome();
      const runs = await trx('effects').where({ job: id }).select();
      return { body: { id, runs: runs.length }, etag: '1' };
    });
    http.work(work, async ({ db, params: { id }, prefersAsync }) => {
      await db('effects').insert({ job: id });
      await outcome();
      return { body: { id, runs: await effects(id), prefersAsync } };
    });
    http.write(patch, async ({ trx, params: { id } }) => {
      await trx('effects').insert({ job: id });
      return { body: null };
    });
  });
  await app.db.raw('CREATE TABLE effects (job text NOT NULL)');
});
afterAll(() => app.close());
beforeEach(() => {
  outcome = async () => {};
});

let jobs = 0;
const newJob = () => `job-${++jobs}`;
const post = (job: string, key: string, options = {}) =>
  app.call('POST', `/ops/jobs/${job}`, { headers: { 'Idempotency-Key': key }, ...options });
const effects = async (job: string) => (await app.db('effects').where({ job })).length;
const keptRows = async (key: string) => (await app.db('idempotency_keys').where({ key })).length;

test('the same key and body get the first response again, headers included, and have no second effect', async () => {
  const job = newJob();
  const first = await post(job, job, { body: { name: 'a' } });
  const again = await post(job, job, { body: { name: 'a' } });
  expect(first.status).toBe(201);
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([201, first.text, '"1"']);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(await effects(job)).toBe(1);
});

test('the order of fields, white space and the encoding of the path do not make another request', async () => {
  const job = newJob();
  const json = { 'Content-Type': 'application/json', 'Idempotency-Key': job };
  await app.call('POST', `/ops/jobs/${job}`, { raw: '{"name":"a","with":{"x":1,"y":[2]}}', headers: json });
  const path = `/ops/jobs/${job.replace('-', '%2D')}`;
  const again = await app.call('POST', path, { raw: '{ "with": {"y": [2], "x": 1}, "name": "a" }', headers: json });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
});

test('the same key with another body is refused, and the first answer stays', async () => {
  const job = newJob();
  await post(job, job, { body: { name: 'a' } });
  const other = await post(job, job, { body: { name: 'b' } });
  expect(other).toMatchObject({
    status: 422,
    json: { code: 'idempotency_key_reused', errors: [{ path: 'Idempotency-Key' }] },
  });
  expect((await post(job, job, { body: { name: 'a' } })).headers.get('idempotency-replayed')).toBe('true');
  expect(await effects(job)).toBe(1);
});

test('another person, another path or another key is another request', async () => {
  const [job, other] = [newJob(), newJob()];
  await post(job, 'shared-key');
  for (const answer of [
    await post(job, 'shared-key', { actor: { sub: 'agent-2', role: 'staff' } }),
    await post(other, 'shared-key'),
    await post(job, 'other-key'),
  ])
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
  expect(await effects(job)).toBe(3);
});

test('of thirty twins at once one has the effect, and all get the same response', async () => {
  const job = newJob();
  const answers = await Promise.all(Array.from({ length: 30 }, () => post(job, job)));
  expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
  expect(answers.filter((answer) => answer.headers.get('idempotency-replayed') !== 'true')).toHaveLength(1);
  expect(await effects(job)).toBe(1);
});

test('a twin waits for the first; when that one fails on our side the twin does the work itself', async () => {
  const job = newJob();
  const entered = Promise.withResolvers<void>();
  const mayGoOn = Promise.withResolvers<void>();
  let calls = 0;
  outcome = async () => {
    if (++calls > 1) return;
    entered.resolve();
    await mayGoOn.promise;
    throw new Error('a bug');
  };
  const first = post(job, job);
  await entered.promise;
  const twin = post(job, job);
  await waitingForLock();
  mayGoOn.resolve();
  expect([(await first).status, (await twin).status]).toEqual([500, 201]);
  expect(await effects(job)).toBe(1);
});

/** Until some connection of this database waits for another's transaction. */
async function waitingForLock(): Promise<void> {
  const { rows } = await app.db.raw(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  if (rows.length === 0) await waitingForLock();
}

test('a failure on our side is never kept: the same key may be tried again', async () => {
  const job = newJob();
  outcome = async () => {
    throw new Error('a bug');
  };
  expect((await post(job, job)).status).toBe(500);
  expect([await effects(job), await keptRows(job)]).toEqual([0, 0]);
  outcome = async () => {};
  const later = await post(job, job);
  expect([later.status, later.headers.get('idempotency-replayed')]).toEqual([201, null]);
});

test('a refusal of the use case is kept, without what the use case had written', async () => {
  const job = newJob();
  outcome = async () => {
    throw conflict('Not in this state');
  };
  const first = await post(job, job);
  expect([first.status, await effects(job)]).toEqual([409, 0]);
  outcome = async () => {};
  const again = await post(job, job);
  expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([409, first.text, 'true']);
  expect(again.headers.get('content-type')).toMatch('application/problem+json');
});

test('what fails validation is not kept: the corrected request goes through with the same key', async () => {
  const job = newJob();
  expect((await post(job, job, { body: { nmae: 'a' } })).status).toBe(422);
  expect((await post(job, job, { body: { name: 'a' } })).status).toBe(201);
});

test('a connection that dies before the commit leaves neither effect nor key', async () => {
  const job = newJob();
  outcome = async () => {
    await app.db.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction'`,
    );
  };
  expect((await post(job, job)).status).toBe(503);
  expect([await effects(job), await keptRows(job)]).toEqual([0, 0]);
});

test('a key is 1 to 255 characters long', async () => {
  const job = newJob();
  expect((await post(job, 'k'.repeat(255))).status).toBe(201);
  for (const key of ['k'.repeat(256), ''])
    expect(await post(job, key)).toMatchObject({ status: 422, json: { errors: [{ path: 'Idempotency-Key' }] } });
});

test('only a POST asks for it', async () => {
  const job = newJob();
  for (let i = 0; i < 2; i++) await app.call('PATCH', `/ops/jobs/${job}`, { headers: { 'Idempotency-Key': job } });
  expect([await effects(job), await keptRows(job)]).toEqual([2, 0]);
});

test('after 24 hours a key counts as new, whatever body comes with it', async () => {
  const job = newJob();
  await post(job, job, { body: { name: 'a' } });
  await age(job);
  const later = await post(job, job, { body: { name: 'b' } });
  expect([later.status, later.headers.get('idempotency-replayed')]).toEqual([201, null]);
  expect((await post(job, job, { body: { name: 'b' } })).headers.get('idempotency-replayed')).toBe('true');
});

test('the purge deletes what is past its time and nothing else', async () => {
  const [old, young] = [newJob(), newJob()];
  await post(old, old);
  await post(young, young);
  await age(old);
  await purgeIdempotencyKeys(app.db);
  expect([await keptRows(old), await keptRows(young)]).toEqual([0, 1]);
});

const age = (key: string) =>
  app.db.raw(`UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 second' WHERE key = ?`, [key]);

test('work with transactions of its own is answered with what was kept, once it is kept', async () => {
  const job = newJob();
  const again = () => app.call('POST', `/ops/works/${job}`, { headers: { 'Idempotency-Key': job } });
  outcome = async () => {
    throw new Error('a bug');
  };
  expect((await again()).status).toBe(500);
  outcome = async () => {};
  const first = await again();
  expect([first.status, first.json.runs, first.headers.get('idempotency-replayed')]).toEqual([200, 2, null]);
  const repeated = await again();
  expect([repeated.text, repeated.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
  expect(await effects(job)).toBe(2);
  const other = { headers: { 'Idempotency-Key': job }, body: { name: 'b' } };
  expect((await app.call('POST', `/ops/works/${job}`, other)).status).toBe(422);
});

test('twins of such work may both do it, and get one answer', async () => {
  const job = newJob();
  const both = Promise.withResolvers<void>();
  let begun = 0;
  outcome = async () => {
    if (++begun === 2) both.resolve();
    await both.promise;
  };
  const twin = () => app.call('POST', `/ops/works/${job}`, { headers: { 'Idempotency-Key': job } });
  const answers = await Promise.all([twin(), twin()]);
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
});

test.each([
  ['respond-async', true],
  ['wait=10, Respond-Async', true],
  ['return=minimal', false],
])('a caller that prefers %s', async (Prefer, prefersAsync) => {
  expect((await app.call('POST', `/ops/works/${newJob()}`, { headers: { Prefer } })).json).toMatchObject({
    prefersAsync,
  });
});
