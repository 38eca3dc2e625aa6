import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { ServiceAuditEntry } from '@ops/contracts/resources/audit';
import { z } from 'zod';
import { startTestApp, type TestApp, testRoute } from '../../test/app.ts';
import { audit } from '../auditing/auditing.ts';
import { mountAuditRoutes } from './audit-routes.ts';

let app: TestApp;
const change = testRoute({
  method: 'POST',
  path: '/ops/test/:id',
  params: z.strictObject({ id: z.string() }),
  query: z.strictObject({}),
  body: z.strictObject({ customer_id: z.string().optional(), name: z.string() }),
});
const ada = { sub: 'ada', role: 'admin' } as const;
const bob = { sub: 'bob', role: 'staff' } as const;
const path = '/ops/services/comms-service/audit';

const get = async (query = '', actor: typeof ada | typeof bob = ada) => {
  const { status, json } = await app.call('GET', `${path}${query}`, { actor });
  return { status, ...(json as unknown as Page<ServiceAuditEntry>) };
};
const idsOf = ({ data }: Page<ServiceAuditEntry>) => data.map(({ subject }) => subject.id);

beforeAll(async () => {
  app = await startTestApp((http) => {
    mountAuditRoutes(http, 'comms-service');
    http.write(change, async ({ trx, params: { id }, body: { customer_id, name } }) => {
      await audit(trx, {
        subject: { kind: 'task', id, ...(customer_id && { customer_id }) },
        before: {},
        after: { name },
      });
      return { body: {} };
    });
  });
  for (const [id, actor, customer_id] of [
    ['one', ada, 'C-1'],
    ['two', bob, 'C-1'],
    ['three', bob, 'C-2'],
    ['four', bob, undefined],
  ] as const)
    await app.call('POST', `/ops/test/${id}`, { actor, body: { name: `of ${id}`, customer_id } });
});
afterAll(() => app.close());

test('an admin reads all that was changed, newest first, page by page', async () => {
  const first = await get('?limit=3');
  expect(idsOf(first)).toEqual(['four', 'three', 'two']);
  expect(first.data[1]).toMatchObject({
    actor: 'bob',
    role: 'staff',
    action: 'POST /ops/test/:id',
    subject: { kind: 'task', id: 'three' },
    customer_id: 'C-2',
    changes: [{ field: 'name', old: null, new: 'of three' }],
  });
  const rest = await get(`?limit=3&cursor=${first.next_cursor}`);
  expect([idsOf(rest), rest.next_cursor]).toEqual([['one'], null]);
});

test('by whom, of whom, what and when, and all of these together', async () => {
  const [newest] = (await get()).data;
  const at = newest?.at ?? '';
  expect(idsOf(await get('?actor=ada'))).toEqual(['one']);
  expect(idsOf(await get('?customer_id=C-1'))).toEqual(['two', 'one']);
  expect(idsOf(await get('?customer_id=C-1&actor=bob'))).toEqual(['two']);
  expect(idsOf(await get('?action=putCustomer'))).toEqual([]);
  expect(idsOf(await get(`?from=${at}`))).toEqual(['four']);
  expect(idsOf(await get(`?to=${at}`))).toEqual(['three', 'two', 'one']);
});

test.each(['?cursor=nonsense', '?from=yesterday', '?actor=', '?who=ada', '?limit=0'])(
  '%s is refused',
  async (query) => {
    expect(await get(query)).toMatchObject({ status: 422 });
  },
);

test('nobody else reads it, and a service answers for itself alone', async () => {
  expect(await get('', bob)).toMatchObject({ status: 403 });
  expect((await app.call('GET', `${path}.jsonl`, { actor: bob })).status).toBe(403);
  for (const end of ['', '.jsonl'])
    expect((await app.call('GET', `/ops/services/notifier/audit${end}`, { actor: ada })).status).toBe(404);
});

test('all of it is taken along a line each, which is written down first', async () => {
  const linesOf = async (query: string) => {
    const { text, headers } = await app.call('GET', `${path}.jsonl${query}`, { actor: ada });
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit-comms-service.jsonl"');
    return text.split('\n').flatMap((line): ServiceAuditEntry[] => (line ? [JSON.parse(line)] : []));
  };
  const all = await linesOf('');
  expect(all.map(({ subject }) => subject.id)).toEqual(['comms-service', 'four', 'three', 'two', 'one']);
  expect(all[0]).toMatchObject({ actor: 'ada', action: 'downloadAudit', subject: { kind: 'audit' } });
  expect((await linesOf('?actor=bob&customer_id=C-1')).map(({ subject }) => subject.id)).toEqual(['two']);
  const [last] = (await get('?limit=1')).data;
  expect(last?.changes).toEqual(expect.arrayContaining([{ field: 'customer_id', old: null, new: 'C-1' }]));
});

test('more of it than fits into one piece is whole, and in order', async () => {
  await app.db.raw(
    `INSERT INTO audit (id, actor, role, request_id, action, subject_kind, subject_id, digests)
     SELECT gen_random_uuid(), 'many', 'staff', 'r', 'a', 'task', n::text, '{}' FROM generate_series(1, 1200) AS n`,
  );
  const { text } = await app.call('GET', `${path}.jsonl?actor=many`, { actor: ada });
  const entries: ServiceAuditEntry[] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(new Set(entries.map(({ id }) => id)).size).toBe(1200);
  const keys = entries.map(({ at, id }) => `${at} ${id}`);
  expect(keys).toEqual(keys.toSorted().reverse());
});
