import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Actor } from '@ops/contracts/roles';
import { z } from 'zod';
import { startTestApp, type TestApp, testRoute } from '../../test/app.ts';
import type { Trx } from '../database/database.ts';
import { conflict } from '../errors.ts';

/** Notes who was admitted: what is left until they wait with the others takes no further turn. */
let admitted = 0;
const route = testRoute({
  method: 'POST',
  path: '/ops/notes/:id',
  params: z.strictObject({ id: z.string() }),
  query: z.strictObject({}),
  body: z.strictObject({ says: z.string().optional() }).refine(() => ++admitted),
  bodyOptional: true,
  success: { 201: z.unknown() },
});

let app: TestApp;
/** What each transaction was to do, and what the test has it wait for or fail with. */
let goes: string[][];
let meanwhile: (ids: readonly string[], trx: Trx) => Promise<void>;

beforeAll(async () => {
  app = await startTestApp((http) => {
    http.writeTogether(
      route,
      async (trx, all) => {
        const ids = all.map(({ params }) => params.id);
        goes.push(ids);
        await trx('notes').insert(
          all.map(({ params: { id }, actor, trace }) => ({ id, by: actor.sub, told: trace.requestId })),
        );
        await meanwhile(ids, trx);
        return ids.map((id) => ({ body: { id } }));
      },
      {
        mayShare: ({ params }) => !params.id.startsWith('alone'),
        mayJoin: (all, one) => !all.some(({ params }) => one.params.id === `not-with-${params.id}`),
      },
    );
  });
  await app.db.raw('CREATE TABLE notes (id text NOT NULL, by text NOT NULL, told text NOT NULL)');
});
afterAll(() => app.close());
beforeEach(async () => {
  [goes, admitted, meanwhile] = [[], 0, async () => {}];
  await app.db('notes').delete();
});

const post = (id: string, options: { key?: string; actor?: Actor; says?: string } = {}) =>
  app.call('POST', `/ops/notes/${id}`, {
    body: { says: options.says },
    headers: { 'X-Request-Id': `request-of-${id}`, ...(options.key && { 'Idempotency-Key': options.key }) },
    ...(options.actor && { actor: options.actor }),
  });

/** As many as may be at work are, and wait until all of these have come, and some of them were done. */
async function beside(others: () => Promise<unknown>[], andDone: readonly string[] = []): Promise<unknown[]> {
  const free = Promise.withResolvers<void>();
  goes = [];
  const busy = ['b-1', 'b-2'];
  const usual = meanwhile;
  meanwhile = (ids, trx) => (ids[0]?.startsWith('b-') ? free.promise : usual(ids, trx));
  const first = [];
  for (const id of busy) {
    first.push(post(id));
    await until(() => goes.flat().includes(id));
  }
  const before = admitted;
  const answers = others();
  await until(() => admitted >= before + answers.length);
  await new Promise((turn) => setImmediate(turn));
  await until(() => andDone.every((id) => goes.flat().includes(id)));
  free.resolve();
  await Promise.all(first);
  return Promise.all(answers);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((turn) => setImmediate(turn));
}

const kept = async () => (await app.db('notes').whereNot('id', 'like', 'b-%').orderBy('id').pluck('id')) as string[];
const later = () => goes.slice(2).map((ids) => ids.toSorted());

test('what comes while others are at work is one transaction, and each has their own answer, name and trace', async () => {
  const ids = ['n-1', 'n-2', 'n-3'];
  const answers = await beside(() => ids.map((id) => post(id, { actor: { sub: `agent-${id}`, role: 'staff' } })));
  expect(later()).toEqual([ids]);
  expect(answers).toMatchObject(ids.map((id) => ({ status: 201, json: { id } })));
  expect(await app.db('notes').whereIn('id', ids).orderBy('id')).toEqual(
    ids.map((id) => ({ id, by: `agent-${id}`, told: `request-of-${id}` })),
  );
});

test('what one is refused for is told to that one, and the others are done', async () => {
  meanwhile = async (ids) => {
    if (ids.includes('n-2')) throw conflict('n-2 is not done');
  };
  const answers = await beside(() => ['n-1', 'n-2', 'n-3'].map((id) => post(id)));
  expect(answers).toMatchObject([
    { status: 201, json: { id: 'n-1' } },
    { status: 409, json: { detail: 'n-2 is not done', request_id: 'request-of-n-2' } },
    { status: 201, json: { id: 'n-3' } },
  ]);
  expect(later().toSorted()).toEqual([['n-1'], ['n-1', 'n-2', 'n-3'], ['n-2'], ['n-3']]);
  expect(await kept()).toEqual(['n-1', 'n-3']);
});

test('each is done once for its key, whether it came with others or alone', async () => {
  const all = () => ['n-1', 'n-2'].map((id) => post(id, { key: `once-${id}` }));
  const first = await beside(() => [...all(), post('n-3')]);
  expect(later()).toEqual([['n-1', 'n-2', 'n-3']]);
  const again = await Promise.all(all());
  expect(first).toMatchObject(['n-1', 'n-2', 'n-3'].map((id) => ({ status: 201, json: { id } })));
  expect(again.map(({ status, text, headers }) => [status, text, headers.get('idempotency-replayed')])).toEqual([
    [201, '{"id":"n-1"}', 'true'],
    [201, '{"id":"n-2"}', 'true'],
  ]);
  expect(await kept()).toEqual(['n-1', 'n-2', 'n-3']);
});

test('a repeat among others gets its first answer, and twins are done once', async () => {
  await post('n-1', { key: 'known' });
  const answers = await beside(() => [
    post('n-1', { key: 'known' }),
    post('n-2', { key: 'twin' }),
    post('n-2', { key: 'twin' }),
    post('n-3', { key: 'other' }),
  ]);
  expect(answers).toMatchObject(['n-1', 'n-2', 'n-2', 'n-3'].map((id) => ({ status: 201, json: { id } })));
  expect(await kept()).toEqual(['n-1', 'n-2', 'n-3']);
});

test('a key counts for a day, also among others, and stands for one request', async () => {
  await post('n-1', { key: 'old' });
  await post('n-2', { key: 'new' });
  await app
    .db('idempotency_keys')
    .where({ key: 'old' })
    .update({ created_at: app.db.raw(`now() - interval '25 hours'`) });
  expect(await beside(() => [post('n-1', { key: 'old' }), post('n-3')])).toMatchObject([
    { status: 201 },
    { status: 201 },
  ]);
  expect(later()).toEqual([['n-1', 'n-3']]);
  const others = await beside(() => [post('n-2', { key: 'new', says: 'something else' }), post('n-4')]);
  expect(others).toMatchObject([{ status: 422, json: { code: 'idempotency_key_reused' } }, { status: 201 }]);
  expect(await kept()).toEqual(['n-1', 'n-1', 'n-2', 'n-3', 'n-4']);
});

test('what may have been committed is not done again, and all are told that nobody knows', async () => {
  meanwhile = async (_, trx) => loseAnswerToCommit(trx);
  const answers = await beside(() => ['n-1', 'n-2'].map((id) => post(id)));
  expect(answers).toMatchObject([{ status: 503 }, { status: 503 }]);
  expect(later()).toEqual([['n-1', 'n-2']]);
  expect(await kept()).toEqual(['n-1', 'n-2']);
});

test("a database that is away is nobody's fault: nothing is tried once more by itself", async () => {
  meanwhile = async (_, trx) => void (await trx.raw('SELECT pg_terminate_backend(pg_backend_pid())'));
  const answers = await beside(() => ['n-1', 'n-2'].map((id) => post(id)));
  expect(answers).toMatchObject([{ status: 503 }, { status: 503 }]);
  expect(later()).toEqual([['n-1', 'n-2']]);
});

test('a refusal is kept for its key, and what failed on our side may be tried again', async () => {
  let mended = false;
  meanwhile = async (ids) => {
    if (ids.includes('n-1')) throw conflict('never');
    if (ids.includes('n-2') && !mended) throw new Error('a bug');
  };
  const both = () => ['n-1', 'n-2'].map((id) => post(id, { key: `kept-${id}` }));
  expect(await beside(both)).toMatchObject([{ status: 409 }, { status: 500 }]);
  mended = true;
  expect(await Promise.all(both())).toMatchObject([{ status: 409 }, { status: 201 }]);
  expect(await kept()).toEqual(['n-2']);
});

test('who may not share it goes alone, past those who wait for others', async () => {
  await beside(() => ['n-1', 'alone-1', 'n-2', 'alone-2'].map((id) => post(id)), ['alone-1', 'alone-2']);
  expect(later().toSorted()).toEqual([['alone-1'], ['alone-2'], ['n-1', 'n-2']]);
});

test('who may not be with one of these goes with the next', async () => {
  await beside(() => ['n-1', 'not-with-n-1', 'n-2', 'not-with-n-2'].map((id) => post(id)));
  expect(later()).toEqual([
    ['n-1', 'n-2'],
    ['not-with-n-1', 'not-with-n-2'],
  ]);
});

/** The server has committed, and its link breaks before it can say so. */
function loseAnswerToCommit(trx: Trx): void {
  const { client } = trx;
  const query = client.query.bind(client);
  client.query = async (connection: unknown, statement: unknown) => {
    const answered = await query(connection, statement);
    if (statement === 'COMMIT;') throw new Error('Connection terminated unexpectedly');
    return answered;
  };
}
