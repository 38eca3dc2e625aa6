import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { Customer, CustomerDetail, SavedCustomer } from '@ops/contracts/resources/customer';
import fc from 'fast-check';
import { automation, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  for (const table of ['opt_outs', 'identifiers', 'timeline', 'communications', 'customers'])
    await service.db(table).delete();
  await service.forgetEvents();
});

const ada = { name: 'Ada Demo', phones: ['+41 79 123 45 67'], emails: ['Ada@Example.com'] };
const put = <T = SavedCustomer>(body: object, headers?: Record<string, string>, id = 'C-1') =>
  service.put<T>(staff, `/ops/customers/${id}`, body, headers);

test('a customer is created, and announced as a whole', async () => {
  const { status, headers, body } = await put({ ...ada, locale: 'de-CH', preferred_channel: 'SMS' });
  expect({ status, etag: headers.get('etag') }).toEqual({ status: 201, etag: '"1"' });
  const whole = {
    name: 'Ada Demo',
    phones: ['+41791234567'],
    emails: ['ada@example.com'],
    locale: 'de-CH',
    time_zone: null,
    assigned_agent: null,
    preferred_channel: 'SMS',
    do_not_contact: false,
    archived_at: null,
    version: 1,
  };
  expect(body).toMatchObject({ id: 'C-1', unread_count: 0, ...whole });
  const { created_at: _, updated_at, unread_count: __, id: ___, ...read } = body;
  const { identifiers: ____, window_open_until: _____, sources: ______, kept, ...seen } = read;
  const { waiting_since, snoozed_until, merged_from, ...data } = seen;
  expect([waiting_since, snoozed_until, merged_from, kept]).toEqual([null, null, [], []]);
  const [changed, ...others] = await service.events();
  expect(others).toEqual([]);
  expect(changed).toMatchObject({ type: 'customer.changed', subject: 'C-1' });
  expect(changed?.data).toEqual({ ...data, customer_id: 'C-1', occurred_at: updated_at });
});

test('the same again is 200 with the same version and no event; a change raises it by one', async () => {
  const { body: first } = await put(ada);
  const again = await put({ ...ada, phones: ['+41791234567', '0041791234567'.replace('00', '+')] });
  expect(again).toMatchObject({ status: 200, body: first });
  expect(await service.events()).toHaveLength(1);
  const changed = await put({ ...ada, name: 'Ada Example' });
  expect(changed).toMatchObject({ status: 200, body: { name: 'Ada Example', version: 2 } });
  expect(changed.headers.get('etag')).toBe('"2"');
  expect((await service.events()).at(-1)?.data).toMatchObject({ version: 2, name: 'Ada Example' });
});

test('a PUT replaces: what it leaves out is gone, but what was learned from messages stays', async () => {
  await put({ ...ada, locale: 'de', assigned_agent: 'agent-1' });
  const learned = (value: string, position: number) => ({ customer_id: 'C-1', kind: 'phone', value, position });
  await service
    .db('identifiers')
    .insert([learned('+41446681800', 1), learned('+41791234567', 0)].map((row) => ({ ...row, source: 'learned' })));
  expect((await service.get<Customer>(staff, '/ops/customers/C-1')).body.phones).toEqual([
    '+41791234567',
    '+41446681800',
  ]);
  const { body } = await put({ name: 'Ada Demo', phones: ['+41791112233'] });
  expect(body).toMatchObject({ emails: [], locale: null, assigned_agent: null });
  expect(body.phones).toEqual(['+41791112233', '+41791234567', '+41446681800']);
});

test('two customers may share an identifier', async () => {
  await put(ada);
  expect(await put(ada, {}, 'C-2')).toMatchObject({ status: 201, body: { phones: ['+41791234567'] } });
});

test('identifiers that cannot be read are named by their place', async () => {
  const { status, body } = await put<Problem>({
    ...ada,
    phones: ['+41791234567', '079 123 45 67'],
    emails: ['ada', 'a@b.example'],
  });
  expect(status).toBe(422);
  expect(body.errors).toEqual([
    { path: 'phones.1', message: 'must be written with its country code, such as +41 79 123 45 67' },
    { path: 'emails.0', message: 'must be an e-mail address' },
  ]);
  expect(await service.get(staff, '/ops/customers/C-1')).toMatchObject({ status: 404 });
});

test('a change made on a stale version, or of a customer that is not there, is refused', async () => {
  expect(await put(ada, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
  expect(await put(ada, { 'if-match': '*' })).toMatchObject({ status: 412 });
  await put(ada);
  expect(await put({ ...ada, name: 'Ada Two' }, { 'if-match': '"1"' })).toMatchObject({ status: 200 });
  expect(await put({ ...ada, name: 'Ada Three' }, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
  expect(await put({ ...ada, name: 'Ada Three' }, { 'if-match': '*' })).toMatchObject({ status: 200 });
});

const patch = <T = CustomerDetail>(body: object, headers?: Record<string, string>) =>
  service.patch<T>(staff, '/ops/customers/C-1', body, headers);

test('a PATCH changes what it names: null takes away, a list is replaced, and what is so already is no change', async () => {
  expect(await patch({ name: 'Nobody' })).toMatchObject({ status: 404 });
  await put({ ...ada, locale: 'de', preferred_channel: 'SMS' });
  const changed = await patch({ locale: null, phones: ['+41 79 765 43 21', '+41791234567'], do_not_contact: true });
  expect(changed).toMatchObject({
    status: 200,
    body: {
      name: 'Ada Demo',
      phones: ['+41797654321', '+41791234567'],
      emails: ['ada@example.com'],
      locale: null,
      preferred_channel: 'SMS',
      do_not_contact: true,
      version: 2,
    },
  });
  expect(changed.headers.get('etag')).toBe('"2"');
  expect((await service.events()).at(-1)).toMatchObject({ type: 'customer.changed', data: { version: 2 } });
  for (const same of [{}, { locale: null }, { emails: ['ADA@example.com'] }])
    expect(await patch(same)).toMatchObject({ status: 200, body: { version: 2 } });
  expect(await service.events()).toHaveLength(2);
});

test('a PATCH on a stale version, of what there is not, or of what cannot be, is refused', async () => {
  await put(ada);
  expect(await patch({ name: 'Two' }, { 'if-match': '"1"' })).toMatchObject({ status: 200 });
  expect(await patch({ name: 'Three' }, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
  const refused = async (body: object) => (await patch<Problem>(body)).body.errors?.map(({ path }) => path);
  expect(await refused({ name: null })).toEqual(['name']);
  expect(await refused({ unread_count: 0 })).toEqual(['unread_count']);
  expect(await refused({ phones: ['+41791234567', '079'] })).toEqual(['phones.1']);
  expect((await service.get<Customer>(staff, '/ops/customers/C-1')).body).toMatchObject({ name: 'Two', version: 2 });
});

test('of many who patch different fields at once, none takes back what another said', async () => {
  await put(ada);
  const said = [{ name: 'Ada Two' }, { locale: 'de' }, { phones: [] }, { do_not_contact: true }, { time_zone: 'UTC' }];
  expect((await Promise.all(said.map((one) => patch(one)))).map(({ status }) => status)).toEqual(said.map(() => 200));
  expect((await service.get<Customer>(staff, '/ops/customers/C-1')).body).toMatchObject(Object.assign({}, ...said));
});

test('of many who create a customer at once, one does, and all are answered', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `Name ${index}`);
  const answers = await Promise.all(names.map((name) => put({ name })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(11);
  const { body } = await service.get<Customer>(staff, '/ops/customers/C-1');
  expect(body.version).toBe(12);
  expect((await service.events()).map(({ data }) => data.version)).toEqual(names.map((_, index) => index + 1));
});

test('automation changes what it gave, and nothing that a person said: that is named', async () => {
  const path = '/ops/customers/C-1';
  const crm = (body: object) => service.put<SavedCustomer>(automation, path, { name: 'ADA DEMO', ...body });
  expect(await crm({ phones: ['+41791234567'], locale: 'de' })).toMatchObject({ status: 201, body: { kept: [] } });
  expect(
    (await patch<SavedCustomer>({ name: 'Ada Demo', phones: ['+41791234567', '+41797654321'] })).body,
  ).toMatchObject({
    kept: [],
    sources: { name: { source: 'staff' }, locale: { source: 'automation' } },
    identifiers: [{ given_by: 'automation' }, { given_by: 'staff' }],
  });
  expect((await crm({ phones: ['+41446681800'], locale: 'fr' })).body).toMatchObject({
    name: 'Ada Demo',
    phones: ['+41446681800', '+41797654321'],
    locale: 'fr',
    kept: ['name', 'phones'],
    version: 3,
  });
  const again = await service.patch<SavedCustomer>(automation, path, { name: 'ADA DEMO', time_zone: 'UTC' });
  expect(again).toMatchObject({
    status: 200,
    body: { name: 'Ada Demo', time_zone: 'UTC', kept: ['name'], version: 4 },
  });
  expect((await patch<SavedCustomer>({ name: 'Ada Example', time_zone: null })).body).toMatchObject({ kept: [] });
});

const create = <T = CustomerDetail>(body: object, headers?: Record<string, string>) =>
  service.post<T>(staff, '/ops/customers', body, headers);

test('somebody new gets the id that was given, or the next number; who has it already is named and left alone', async () => {
  expect(await create({ ...ada, id: 'C-7' })).toMatchObject({ status: 201, body: { id: 'C-7', name: 'Ada Demo' } });
  const twice = await create<Problem>({ ...ada, name: 'Eve Demo', id: 'C-7' });
  const message = 'C-7 is Ada Demo already';
  expect(twice).toMatchObject({ status: 409, body: { detail: message, errors: [{ path: 'id', message }] } });
  expect((await create({ name: 'Bob Demo' })).body.id).toBe('C-1001');
  await put({ name: 'Of a year' }, {}, 'C-20261123001');
  await put({ name: 'Cleo Demo' }, {}, 'C-1040');
  const once = { 'Idempotency-Key': 'one-dora' };
  for (const _ of [1, 2]) expect((await create({ name: 'Dora Demo' }, once)).body.id).toBe('C-1041');
  await put({ name: 'The last' }, {}, 'C-999999999');
  expect(await create<Problem>({ name: 'None left' })).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'id' }] },
  });
  expect(await service.post(automation, '/ops/customers', { name: 'Demo' })).toMatchObject({ status: 403 });
});

test('of many who are created at once each gets a number of their own, and an id is given once', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => create({ name: `Name ${n}` })));
  expect(answers.map(({ body }) => body.id).sort()).toEqual(Array.from({ length: 8 }, (_, n) => `C-${1001 + n}`));
  const claimed = await Promise.all(Array.from({ length: 8 }, (_, n) => create({ id: 'C-1', name: `Name ${n}` })));
  expect(claimed.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
});

test('of many who change the same version at once, one does', async () => {
  await put(ada);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => put({ ...ada, name: `Name ${index}` }, { 'if-match': '"1"' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
});

const found = async (query: string) => {
  const { status, body } = await service.get<Page<Customer>>(staff, `/ops/customers?${new URLSearchParams({ query })}`);
  expect(status).toBe(200);
  return body.data.map(({ id }) => id);
};

test('customers are found by name, phone, e-mail address or id', async () => {
  await put({ name: 'Émile Demo', phones: ['+41 79 123 45 67'], emails: ['emile@example.com'] }, {}, 'C-1001');
  await put({ name: 'Bob 50% Demo', phones: ['+1 650 253 0000'], emails: ['bob_x@example.org'] }, {}, 'C-1002');
  const [emile, bob] = [['C-1001'], ['C-1002']];
  expect(await found('EMILE')).toEqual(emile);
  expect(await found('émile d')).toEqual(emile);
  expect(await found('50%')).toEqual(bob);
  expect(await found('+41 79')).toEqual(emile);
  expect(await found('079 123 45 67')).toEqual(emile);
  expect(await found('(650) 253-0000')).toEqual(bob);
  expect(await found('Emile@EXAMPLE')).toEqual(emile);
  expect(await found('bob_x')).toEqual(bob);
  expect(await found('c-100')).toEqual([...bob, ...emile]);
  expect(await found('C-1001')).toEqual(emile);
  expect(await found('_')).toEqual(bob);
  expect(await found('nobody')).toEqual([]);
});

test('those of some ids are read together, and what is no id is refused', async () => {
  for (const id of ['C-1', 'C-2', 'C-3']) await put(ada, {}, id);
  const { body } = await service.get<Page<Customer>>(staff, '/ops/customers?ids=C-3,C-1,C-9');
  expect(body.data.map(({ id }) => id)).toEqual(['C-1', 'C-3']);
  for (const ids of ['', 'C-1,', 'C 1', Array(51).fill('C-1').join()])
    expect((await service.get(staff, `/ops/customers?ids=${encodeURIComponent(ids)}`)).status).toBe(422);
});

test('with a region, numbers may be written and searched as people dial them there', async () => {
  const local = await startTestService({ DEFAULT_PHONE_REGION: 'RU' });
  const { body } = await local.put<Customer>(automation, '/ops/customers/C-1', {
    name: 'Ada Demo',
    phones: ['8 912 345-67-89'],
  });
  expect(body.phones).toEqual(['+79123456789']);
  const { body: page } = await local.get<Page<Customer>>(automation, '/ops/customers?query=8%20912%20345-67-89');
  expect(page.data).toHaveLength(1);
  await local.close();
});

test('pages of customers are in order of name, without a gap or a twin, whatever the names', async () => {
  const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 });
  const usable = name.filter((text) => text.length <= 200 && text.isWellFormed() && !text.includes('\u0000'));
  const names = fc.array(fc.oneof(usable, fc.constantFrom('ada', 'Ada', 'Àda', '한'.repeat(200))), {
    minLength: 1,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(names, fc.integer({ min: 1, max: 4 }), async (all, limit) => {
      await service.db('identifiers').delete();
      await service.db('customers').delete();
      for (const [index, one] of all.entries()) expect((await put({ name: one }, {}, `C-${index}`)).status).toBe(201);
      const seen: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const answer = await service.get<Page<Customer>>(
          staff,
          `/ops/customers?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`,
        );
        expect(answer.status).toBe(200);
        seen.push(...answer.body.data.map(({ id }) => id));
        cursor = answer.body.next_cursor;
      }
      const rows = await service.db('customers').orderByRaw('sort_key, id').select('id');
      expect(seen).toEqual(rows.map(({ id }) => id));
    }),
    { seed: 20_260_304, numRuns: 25 },
  );
});

test('who changed what of a customer is told, newest first; what a message changes is nobody’s', async () => {
  await put(ada, {}, 'C-told');
  await put(ada, {}, 'C-told');
  await put({ ...ada, locale: 'de', phones: ['+41 79 765 43 21', ...ada.phones] }, {}, 'C-told');
  await service.put(staff, '/ops/customers/C-told/opt-outs', {
    kind: 'phone',
    value: '+41 79 765 43 21',
    channel: 'SMS',
    opted_out: true,
    reason: 'said so on the phone',
  });
  const { body } = await service.get<Page<AuditEntry>>(staff, '/ops/customers/C-told/history');
  expect(body.data.map(({ actor, role, action, changes }) => ({ by: `${role} ${actor}`, action, changes }))).toEqual([
    {
      by: 'staff agent-1',
      action: 'setOptOut',
      changes: [{ field: 'opt_outs', old: [], new: ['SMS +41797654321'] }],
    },
    {
      by: 'staff agent-1',
      action: 'putCustomer',
      changes: [
        { field: 'phones', old: ['+41791234567'], new: ['+41797654321', '+41791234567'] },
        { field: 'locale', old: null, new: 'de' },
      ],
    },
    {
      by: 'staff agent-1',
      action: 'putCustomer',
      changes: expect.arrayContaining([{ field: 'name', old: null, new: 'Ada Demo' }]),
    },
  ]);
  expect(await service.get(staff, '/ops/customers/C-9/history')).toMatchObject({ status: 404 });
  expect(await service.get(automation, '/ops/customers/C-told/history')).toMatchObject({ status: 403 });
});

test('of many who change a customer at once each history line begins where the one before ended', async () => {
  await Promise.all(Array.from({ length: 8 }, (_, n) => put({ name: `Name ${n}` }, {}, 'C-many')));
  const { body } = await service.get<Page<AuditEntry>>(staff, '/ops/customers/C-many/history');
  const names = body.data.flatMap(({ changes }) => (changes ?? []).filter(({ field }) => field === 'name'));
  const lived = names.toReversed();
  expect(lived).toHaveLength(8);
  expect(lived.map(({ old }) => old)).toEqual([null, ...lived.slice(0, -1).map((one) => one.new)]);
  expect(lived.at(-1)?.new).toBe((await service.get<Customer>(staff, '/ops/customers/C-many')).body.name);
});
