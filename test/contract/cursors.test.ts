import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Problem } from '@ops/contracts/problem';
import type { ApiClient } from '@ops/contracts/test/http-client';
import { type System, sharedSystem } from '@ops/test-system/system';
import { samples } from './samples.ts';

const customerId = 'C-cursors';
let system: System;
let admin: ApiClient;
/** Of routes that list what belongs to a record: one that is there. */
let records: Record<string, string>;

beforeAll(async () => {
  system = await sharedSystem('postgres');
  admin = await system.client('admin');
  await admin.put(`/ops/customers/${customerId}`, { name: 'Demo Customer' });
  const customers = await importOf('customers', 'customer_id,name\n');
  const renewals = await importOf('renewals', 'customer_id,service_type,due_date\n');
  records = {
    listCommunicationHistory: await idOf(admin.post(`/ops/customers/${customerId}/notes`, { body: 'text' })),
    listRenewalHistory: await idOf(
      admin.post(`/ops/customers/${customerId}/renewals`, { service_type: 'WORK_PERMIT', due_date: '2190-01-31' }),
    ),
    listTaskHistory: await idOf(admin.post('/ops/tasks', { customer_id: customerId, title: 'text' })),
    listCustomerImportRows: customers,
    listCustomerImportHistory: customers,
    listRenewalImportRows: renewals,
    listRenewalImportHistory: renewals,
  };
});
afterAll(() => system?.stop());

const idOf = async (answer: Promise<{ body: unknown }>) => ((await answer).body as { id: string }).id;
const importOf = (what: string, file: string) => idOf(admin.post(`/ops/imports/${what}`, Buffer.from(file)));

/** Where the sample would list nothing: only a dry run answers page by page. */
const queries: Record<string, string> = { runRefresh: 'dry_run=true' };

const lists = samples(customerId).filter(({ spec }) => spec.query.safeParse({ cursor: 'some' }).success);

const instants = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
  `2026-01-01T00:00:00.${'9'.repeat(200)}Z`,
];
const uuids = ['', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'f'.repeat(36)];
const dates = ['0000-01-01', '0001-01-01', '9999-12-31', '10000-01-01'];
const texts = ['', '\u0000', '\ud800', '\uffff'.repeat(100)];
const numbers = [-(2 ** 31), 2 ** 31 - 1, 2 ** 53 - 1, 1e308];

/** What positions are made of, in any list. */
const positions: (readonly (string | number)[])[][] = [
  [uuids],
  [numbers],
  [instants, uuids],
  [instants, texts],
  [texts, texts],
  [dates, uuids],
  [numbers, dates, uuids],
  [numbers, numbers, numbers, uuids],
];
/** Each extreme in each place, beside the tamest of all others. */
const forged = positions.flatMap((parts) =>
  parts.flatMap((extremes, place) =>
    extremes.map((extreme) => parts.map((others, n) => (n === place ? extreme : others[1]))),
  ),
);
const encoded = forged.map((position) => Buffer.from(JSON.stringify(position)).toString('base64url'));
/** Dead letters are listed by their bare ids. */
const cursors = [...encoded, ...uuids.slice(1)];

test.each(lists)('$name answers 200 or 422 to any cursor, however extreme', async ({ name, spec, path }) => {
  const place = records[name] === undefined ? path : spec.path.replace(/:\w+/, records[name]);
  const answers = [];
  const query = queries[name];
  const url = query === undefined ? place : `${spec.path}?${query}`;
  for (const cursor of cursors)
    answers.push(await admin.request(spec.method, `${url}${url.includes('?') ? '&' : '?'}cursor=${cursor}`));
  // Not all are refused: some have the form of this list's own.
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 422]));
  const refusals = answers.filter(({ status }) => status === 422).map(({ body }) => (body as Problem).errors);
  for (const errors of refusals) expect(errors).toMatchObject([{ path: 'cursor' }]);
});
