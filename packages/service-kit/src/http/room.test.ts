import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { z } from 'zod';
import { startTestApp, type TestApp, testRoute } from '../../test/app.ts';

const write = testRoute({
  method: 'PATCH',
  path: '/ops/things/:id',
  params: z.strictObject({ id: z.string() }),
  query: z.strictObject({}),
});

let app: TestApp;
let begun: string[] = [];
let gate = Promise.withResolvers<void>();

beforeAll(async () => {
  const mount: Parameters<typeof startTestApp>[0] = (http) =>
    http.write(write, async ({ params }) => {
      begun.push(params.id);
      await gate.promise;
      return { body: params };
    });
  app = await startTestApp(mount, { atOnce: 2, longestMs: 300 });
});
afterAll(() => app.close());

const ask = (id: string) => app.call('PATCH', `/ops/things/${id}`);

test('who finds too many before them is told in time to come again, and nothing of theirs was begun', async () => {
  const first = ['a', 'b'].map(ask);
  await eventually(() => expect(begun).toEqual(expect.arrayContaining(['a', 'b'])));
  const refused = await Promise.all(['c', 'd', 'e'].map(ask));
  expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(refused[0]?.headers.get('Retry-After')).toBe('1');
  expect(refused[0]?.json).toMatchObject({ code: 'unavailable', detail: 'Too much is asked at once' });
  gate.resolve();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
  expect(begun).toHaveLength(2);
  expect((await ask('f')).status).toBe(200);
});

test('who waits for less than that is served', async () => {
  begun = [];
  gate = Promise.withResolvers();
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map(ask);
  await eventually(() => expect(begun).toHaveLength(2));
  gate.resolve();
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
});
