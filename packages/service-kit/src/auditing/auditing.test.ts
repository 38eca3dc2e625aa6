import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import { uuidv7 } from '@ops/test-kit/builders';
import fc from 'fast-check';
import { z } from 'zod';
import { startTestApp, type TestApp, testRoute } from '../../test/app.ts';
import { inTransaction, rows } from '../database/database.ts';
import { historyOf } from '../http/history.ts';
import { type AuditSubject, audit } from './auditing.ts';
import { changesBetween, sealable } from './changes.ts';

let app: TestApp;
const customer = (id: string): AuditSubject => ({ kind: 'customer', id, customer_id: id });
const facts = z.record(z.string(), z.unknown());
const change = testRoute({
  method: 'POST',
  path: '/ops/test/:id',
  params: z.strictObject({ id: z.string() }),
  query: z.strictObject({}),
  body: z.strictObject({ before: facts.optional(), after: facts, fails: z.boolean().default(false) }),
});

beforeAll(async () => {
  app = await startTestApp((http) =>
    http.write(change, async ({ trx, params, body: { before, after, fails } }) => {
      await audit(trx, { subject: customer(params.id), before, after });
      if (fails) throw new Error('after all not');
      return { body: {} };
    }),
  );
});
afterAll(() => app.close());

let id = '';
beforeEach(() => {
  id = uuidv7();
});

const ada = { sub: 'ada', role: 'admin', client: 'demo-pages' } as const;
const post = (body: object, options: object = {}) =>
  app.call('POST', `/ops/test/${id}`, { actor: ada, body, ...options });
const history = (query = { limit: 50 }): Promise<Page<AuditEntry>> => historyOf(app.db, customer(id), query);

test('who asked, by what, for what, and each field that is not the same', async () => {
  const answer = await post(
    {
      before: { name: 'Demo', locale: null, emails: ['a'], gone: 1 },
      after: { name: 'Other', locale: null, emails: ['a'] },
    },
    { headers: { 'X-Request-Id': 'asked-once' } },
  );
  expect(answer.status).toBe(200);
  const { data } = await history();
  const request_id = answer.headers.get('x-request-id');
  expect(data).toEqual([
    {
      id: expect.any(String),
      at: expect.stringMatching(/Z$/),
      actor: 'ada',
      role: 'admin',
      client: 'demo-pages',
      request_id,
      action: 'POST /ops/test/:id',
      changes: [
        { field: 'name', old: 'Demo', new: 'Other' },
        { field: 'gone', old: 1, new: null },
      ],
    },
  ]);
});

test('nothing is written of what changed nothing, of what was undone, of a repeat, and of what nobody asked for', async () => {
  await post({ before: { tags: { a: 1, b: 2 } }, after: { tags: { b: 2, a: 1 }, none: null } });
  expect((await post({ after: { name: 'Demo' }, fails: true })).status).toBe(500);
  await inTransaction(app.db, (trx) =>
    audit(trx, { subject: customer(id), before: undefined, after: { name: 'Demo' } }),
  );
  expect((await history()).data).toEqual([]);
  const once = { headers: { 'Idempotency-Key': id } };
  await post({ after: { name: 'Demo' } }, once);
  await post({ after: { name: 'Demo' } }, once);
  expect((await history()).data).toHaveLength(1);
});

test('pages are without a gap or a twin, newest first', async () => {
  for (let n = 0; n < 5; n++) await post({ before: { n }, after: { n: n + 1 } });
  const seen: unknown[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await historyOf(app.db, customer(id), { limit: 2, cursor });
    seen.push(...page.data.map(({ changes }) => changes?.[0]?.new));
    cursor = page.next_cursor;
  }
  expect(seen).toEqual([5, 4, 3, 2, 1]);
  await expect(historyOf(app.db, customer(id), { limit: 2, cursor: 'x' })).rejects.toMatchObject({ status: 422 });
});

test('a service can neither change nor remove what it wrote, nor say when it was', async () => {
  await post({ after: { name: 'Demo' } });
  for (const sql of [
    `UPDATE audit SET actor = 'somebody else'`,
    'DELETE FROM audit',
    'TRUNCATE audit CASCADE',
    'DROP TABLE audit CASCADE',
    'ALTER TABLE audit DISABLE TRIGGER ALL',
    'DELETE FROM audit_values',
    `UPDATE audit_values SET changes = '[]'`,
    'DROP TABLE audit_values',
    `CREATE OR REPLACE FUNCTION comms_audit.remove_audit(ids uuid[]) RETURNS void LANGUAGE sql AS 'SELECT'`,
    `INSERT INTO audit (id, at, actor, role, request_id, action, subject_kind, subject_id, digests)
     VALUES ('${uuidv7()}', '2020-01-01', 'a', 'b', 'c', 'd', 'e', 'f', '[]')`,
  ])
    await expect(rows(app.db, sql)).rejects.toMatchObject({ code: '42501' });
  await rows(app.db, 'SELECT remove_audit(ARRAY(SELECT id FROM audit))');
  expect((await history()).data).toHaveLength(1);
});

test('the digests can be made again of the values that lie beside them, and of nothing else', async () => {
  const values = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }).filter(isKept));
  await fc.assert(
    fc.asyncProperty(values, values, async (before, after) => {
      id = uuidv7();
      await post({ before, after });
      const [kept] = await rows<{ digests: unknown[]; salt: string; changes: AuditEntry['changes'] }>(
        app.db,
        'SELECT digests, salt, changes FROM audit JOIN audit_values ON audit_id = id WHERE subject_id = ?',
        [id],
      );
      const changed = changesBetween(before, after);
      expect(kept?.changes ?? []).toEqual(JSON.parse(JSON.stringify(changed)));
      if (!kept) return;
      expect(sealable(kept.changes ?? [], kept.salt).digests).toEqual(kept.digests);
      expect(sealable(kept.changes ?? [], `${kept.salt}x`).digests).not.toEqual(kept.digests);
      expect(sealable(kept.changes?.map((one) => ({ ...one, old: one.new })) ?? [], kept.salt).digests).not.toEqual(
        kept.digests,
      );
    }),
    { numRuns: 40 },
  );
});

/** What a request may hold, and Postgres keeps as it was: no NUL, no half characters, no number beyond a double's digits. */
const isKept = (value: unknown): boolean => {
  const text = JSON.stringify(value);
  return !text.includes('\\u') && !text.includes('__proto__') && !/\d{15}|e[+-]?\d|-0\b/.test(text);
};
