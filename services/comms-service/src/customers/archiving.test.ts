import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { AttentionPage } from '@ops/contracts/resources/attention';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { Customer, SavedCustomer } from '@ops/contracts/resources/customer';
import { emptyTables } from '@ops/test-kit/empty-tables';
import fc from 'fast-check';
import { said, taken } from '../../test/message.ts';
import { automation, customer, staff, startTestService, type TestService } from '../../test/service.ts';
import { foldName } from '../fold-name.rules.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(() => emptyTables(service.db, 'customers', 'communications', 'outbox'));

const phone = '+447700900001';
const path = (id: string) => `/ops/customers/${id}`;
const put = (id: string, name = 'Ada Demo', by = staff) =>
  service.put<SavedCustomer>(by, path(id), { name, phones: [phone] });
const archive = (id: string, archived = true, by = staff) => service.patch<SavedCustomer>(by, path(id), { archived });
const list = async (query = '') =>
  (await service.get<Page<Customer>>(staff, `/ops/customers?${query}`)).body.data.map(({ id }) => id);

test('a former customer is told of as one, and so is who said so; said again it is no change', async () => {
  await put('C-1');
  await service.forgetEvents();
  const { body } = await archive('C-1');
  expect(body).toMatchObject({ archived_at: expect.any(String), version: 2, kept: [] });
  expect((await archive('C-1')).body).toEqual(body);
  const { archived_at } = body;
  expect(await service.events()).toMatchObject([{ type: 'customer.changed', data: { version: 2, archived_at } }]);
  expect((await archive('C-1', false)).body).toMatchObject({ archived_at: null, version: 3 });
  const { data } = (await service.get<Page<AuditEntry>>(staff, `${path('C-1')}/history`)).body;
  const change = (before: boolean) => [{ field: 'archived', old: before, new: !before }];
  expect(data.slice(0, 2)).toMatchObject(
    [true, false].map((before) => ({ actor: staff.sub, action: 'patchCustomer', changes: change(before) })),
  );
});

test('people alone say who is a former customer, and of a version they saw', async () => {
  await put('C-1');
  expect((await archive('C-1', true, automation)).status).toBe(403);
  expect((await archive('C-1', true, customer('C-1'))).status).toBe(403);
  expect((await archive('C-2')).status).toBe(404);
  expect((await service.patch(staff, path('C-1'), { archived: null })).status).toBe(422);
  expect((await service.patch(staff, path('C-1'), { archived: true }, { 'if-match': '"9"' })).status).toBe(412);
  expect(await list()).toEqual(['C-1']);
});

test('they stay one whatever else is said of them, and who is a machine hears so', async () => {
  await put('C-1');
  await archive('C-1');
  const { archived_at } = (await service.get<Customer>(staff, path('C-1'))).body;
  expect((await put('C-1', 'Ada New')).body).toMatchObject({ name: 'Ada New', archived_at, kept: [] });
  await service.patch(staff, path('C-1'), { locale: 'de' });
  const told = await service.patch<SavedCustomer>(automation, path('C-1'), { time_zone: 'Europe/Zurich' });
  expect(told.body).toMatchObject({ time_zone: 'Europe/Zurich', archived_at, kept: ['archived'] });
});

test('the list leaves them out; who looks for them finds them, behind the others', async () => {
  for (const id of ['C-1', 'C-2', 'C-3']) await put(id, `Ada ${id}`);
  await archive('C-1');
  expect(await list()).toEqual(['C-2', 'C-3']);
  expect(await list('unread=false')).toEqual(['C-2', 'C-3']);
  expect(await list('archived=true')).toEqual(['C-1']);
  expect(await list('archived=true&query=C-2')).toEqual([]);
  expect(await list('query=ada')).toEqual(['C-2', 'C-3', 'C-1']);
  expect(await list('query=7700900001&archived=false')).toEqual(['C-2', 'C-3']);
  expect(await list('ids=C-1,C-2')).toEqual(['C-2', 'C-1']);
});

test('what they write is theirs, unread and waiting as of everybody, and they stay a former customer', async () => {
  await put('C-1');
  await archive('C-1');
  await taken(service, said({ sender: { phone } }));
  const { body } = await service.get<AttentionPage>(staff, '/ops/attention');
  const former = { archived_at: expect.any(String) };
  expect(body.data).toMatchObject([{ customer_id: 'C-1', unread_count: 1, ...former }]);
  expect(await list('unread=true')).toEqual(['C-1']);
  expect((await service.get(staff, path('C-1'))).body).toMatchObject({ ...former, waiting_since: expect.any(String) });
});

test('a namesake who is a former customer is not suggested for whoever is unknown', async () => {
  await put('C-1');
  await taken(service, said({ sender: { phone: '+447700900999', name: 'Ada Demo' } }));
  const suggested = async () =>
    (await service.get<Page<{ candidates: object[] }>>(staff, '/ops/unmatched')).body.data[0]?.candidates;
  expect(await suggested()).toMatchObject([{ customer_id: 'C-1', because: 'name' }]);
  await archive('C-1');
  expect(await suggested()).toEqual([]);
});

/** Former customers are none any more, and the others are. */
const moved = 'CASE WHEN archived_at IS NULL THEN now() END';

const everybody = fc.array(
  fc.record({
    name: fc.oneof(
      fc
        .string({ unit: 'binary', minLength: 1, maxLength: 80 })
        .filter((one) => one.length <= 200 && !one.includes('\0')),
      fc.constantFrom('ada', 'Àda', '\u{10ffff}ada', '\u{10ffff}', '한'.repeat(200)),
    ),
    archived: fc.boolean(),
    /** While somebody goes through the pages. */
    moves: fc.boolean(),
  }),
  { minLength: 1, maxLength: 10 },
);

test('whoever goes through either list meets each who stays in it once, whoever else is archived or restored meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(everybody, fc.boolean(), fc.integer({ min: 1, max: 3 }), async (all, archived, limit) => {
      const rowOf = ({ name, archived }: { name: string; archived: boolean }, n: number) => ({
        id: `C-${n}`,
        name,
        name_folded: foldName(name),
        do_not_contact: false,
        version: 1,
        created_at: new Date(),
        updated_at: new Date(),
        archived_at: archived ? new Date() : null,
      });
      await emptyTables(service.db, 'customers');
      await service.db('customers').insert(all.map(rowOf));
      const moving = all.flatMap(({ moves }, n) => (moves ? [`C-${n}`] : []));
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const further: string = cursor ? `&cursor=${cursor}` : '';
        const query = `archived=${archived}&limit=${limit}${further}`;
        const { body }: { body: Page<Customer> } = await service.get<Page<Customer>>(staff, `/ops/customers?${query}`);
        seen.push(...body.data.map(({ id }) => id));
        cursor = body.next_cursor;
        await service
          .db('customers')
          .whereIn('id', moving)
          .update({ archived_at: service.db.raw(moved) });
      } while (cursor !== null);
      const stay = all.flatMap((one, n) => (one.archived === archived && !one.moves ? [`C-${n}`] : []));
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => stay.includes(id)).toSorted()).toEqual(stay.toSorted());
    }),
    { seed: 20_261_125, numRuns: 25 },
  );
});
