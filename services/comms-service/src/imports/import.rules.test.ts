import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { Customer } from '@ops/contracts/resources/customer';
import type { CsvImport, ImportRow } from '@ops/contracts/resources/import';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import { admin, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ RETENTION_CRON: 'off' });
});
afterAll(() => service.close());
beforeEach(() => emptyTables(service.db, 'customers', 'imports', 'communications', 'outbox'));

const path = '/ops/imports/customers';
const send = <T = CsvImport>(file: string, query = '') => service.post<T>(staff, `${path}${query}`, Buffer.from(file));
const settled = (id: string) =>
  eventually(async () => {
    const { body } = await service.get<CsvImport>(staff, `${path}/${id}`);
    expect(['CHECKED', 'COMPLETED', 'FAILED']).toContain(body.status);
    return body;
  });

/** What became of the file, row by row. */
async function bring(query: string, ...lines: string[]) {
  const begun = await send(lines.join('\r\n'), query);
  expect(begun.status).toBe(202);
  const done = await settled(begun.body.id);
  const { body } = await service.get<Page<ImportRow>>(staff, `${path}/${done.id}/rows`);
  return { ...done, rows: body.data };
}
const take = (...lines: string[]) => bring('?dry_run=false', ...lines);
const customer = async (id: string) => (await service.get<Customer>(staff, `/ops/customers/${id}`)).body;
const outcomes = (rows: ImportRow[]) => rows.map(({ id, outcome }) => [id, outcome]);

const header = 'customer_id;name;phones;emails;locale;time_zone;assigned_agent;preferred_channel;do_not_contact';

test('customers come in as a PUT would make them, and are told of as such', async () => {
  const looked = await bring(
    '',
    header,
    'C-1;Ada Demo;+44 7700 900123|+44 7700 900124;Ada@Example.com;en;Europe/Zurich;agent-1;EMAIL;true',
  );
  expect(looked).toMatchObject({ status: 'CHECKED', counts: { rows: 1, to_create: 1 } });
  expect((await service.get(staff, '/ops/customers/C-1')).status).toBe(404);
  expect((await service.post(staff, `${path}/${looked.id}/apply`)).status).toBe(202);
  expect(await settled(looked.id)).toMatchObject({ status: 'COMPLETED', counts: { done: 1 } });
  const { version, unread_count } = await customer('C-1');
  expect(await customer('C-1')).toMatchObject({
    name: 'Ada Demo',
    phones: ['+447700900123', '+447700900124'],
    emails: ['ada@example.com'],
    locale: 'en',
    time_zone: 'Europe/Zurich',
    assigned_agent: 'agent-1',
    preferred_channel: 'EMAIL',
    do_not_contact: true,
  });
  expect([version, unread_count]).toEqual([1, 0]);
  expect((await service.events()).map(({ type, data }) => [type, data.customer_id, data.version])).toEqual([
    ['customer.changed', 'C-1', 1],
  ]);
});

test('the same file again changes nothing; what a cell leaves empty, or the file has no column for, stays', async () => {
  const file = ['customer_id,name,phones', 'C-1,Ada Demo,+447700900123', 'C-2,Bob Demo,'];
  expect(outcomes((await take(...file)).rows)).toEqual([
    ['C-1', 'created'],
    ['C-2', 'created'],
  ]);
  await service.forgetEvents();
  const again = await take(...file);
  expect([outcomes(again.rows), again.counts.unchanged, await service.events()]).toEqual([
    [
      ['C-1', 'unchanged'],
      ['C-2', 'unchanged'],
    ],
    2,
    [],
  ]);
  const changed = await take('customer_id,name,phones,emails', 'C-1,Ada New,,ada@example.com', 'C-2,Bob Demo,,');
  expect(outcomes(changed.rows)).toEqual([
    ['C-1', 'changed'],
    ['C-2', 'unchanged'],
  ]);
  expect(await customer('C-1')).toMatchObject({
    name: 'Ada New',
    phones: ['+447700900123'],
    emails: ['ada@example.com'],
    version: 2,
  });
  expect((await service.events()).map(({ data }) => data.customer_id)).toEqual(['C-1']);
});

test('rows that are wrong are refused by column, the others taken', async () => {
  const taken = await take(
    header,
    'C-1;Ada Demo;12;;;;;;',
    'C-2;Bob Demo;+447700900125|nobody;bob@;;;;;',
    'C-3;;;;;;;;',
    'C-4;Dan Demo;;;german!;Mars/Olympus;;PIGEON;perhaps',
    'C 5;Eve Demo;;;;;;;',
    'C-6;Fay Demo;;;;;;;',
    'C-6;Fay Other;;;;;;;',
    '=C-7;Gil Demo;;;;;;;',
  );
  expect(taken.rows.map(({ line, outcome, errors }) => [line, outcome, errors.map(({ column }) => column)])).toEqual([
    [2, 'refused', ['phones']],
    [3, 'refused', ['phones', 'emails']],
    [4, 'refused', ['name']],
    [5, 'refused', ['locale', 'time_zone', 'preferred_channel', 'do_not_contact']],
    [6, 'refused', ['customer_id']],
    [7, 'created', []],
    [8, 'refused', ['$']],
    [9, 'refused', ['customer_id']],
  ]);
  expect(await service.db('customers').pluck('id')).toEqual(['C-6']);
});

test('a yes or no is one however a spreadsheet writes it', async () => {
  const taken = await take(
    'customer_id;name;do_not_contact',
    'C-1;Ada Demo;TRUE',
    'C-2;Bob Demo;False',
    'C-3;Cy Demo;yes',
  );
  expect(taken.rows.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'refused']);
  expect([await customer('C-1'), await customer('C-2')]).toMatchObject([
    { do_not_contact: true },
    { do_not_contact: false },
  ]);
});

test('the file of an outcome says the same however often it is sent again', async () => {
  const rows = [
    'C-1;Ada Demo;"+44 7700 900123,+44 7700 900124"',
    "C-2;'-Bob;",
    'C-3;Cy\u0000Demo;',
    'C-4;Dan Demo;;+44 7700 900125',
    'C-5;Eve;=1|',
    'C-6;"x;=HYPERLINK(""y"");z";',
  ];
  const fileOf = async (id: string) => (await service.get<string>(staff, `${path}/${id}/rows.csv`)).body;
  const first = await take('customer_id;name;phones', ...rows);
  expect(outcomes(first.rows)).toEqual([
    ['C-1', 'created'],
    ['C-2', 'created'],
    ...[3, 4, 5].map(() => [null, 'refused']),
    ['C-6', 'created'],
  ]);
  const names = () => service.db('customers').orderBy('id').pluck('name');
  const before = await names();
  const second = await take(await fileOf(first.id));
  const third = await take(await fileOf(second.id));
  const unchanged = outcomes(first.rows).map(([id, outcome]) => [id, outcome === 'created' ? 'unchanged' : outcome]);
  expect([outcomes(second.rows), outcomes(third.rows)]).toEqual([unchanged, unchanged]);
  expect(await fileOf(third.id)).toBe(await fileOf(second.id));
  expect([before, await names()]).toEqual([['Ada Demo', '-Bob', 'x;=HYPERLINK("y");z'], before]);
});

test("a row says who deals with the customer's affairs today, and sent again it gives the customer to nobody else", async () => {
  const away = '2999-12-31';
  const absent = [
    { id: 'agent-2', name: 'agent-2', version: 1, absent_until: away, deputy: 'agent-1' },
    { id: 'agent-3', name: 'agent-3', version: 1, absent_until: away },
  ];
  await service.db('agents').insert(absent);
  const file = [
    'customer_id;name;assigned_agent',
    'C-1;Ada Demo;agent-1',
    'C-2;Bob Demo;agent-2',
    'C-3;Cy Demo;agent-3',
    'C-4;Dan Demo;',
    'C-5;;agent-1',
  ];
  const looked = await bring('', ...file);
  expect(looked.rows.map((row) => row.responsible_agent)).toEqual([null, null, null, null, null]);
  const taken = await take(...file);
  const dealtWith = ['agent-1', 'agent-1', null, null, null];
  expect(taken.rows.map((row) => row.responsible_agent)).toEqual(dealtWith);

  const told = (await service.get<string>(staff, `${path}/${taken.id}/rows.csv`)).body;
  expect(told.split('\r\n').map((line) => line.split(';')[4])).toEqual([
    'import_responsible_agent',
    ...dealtWith.map((agent) => agent ?? ''),
    undefined,
  ]);
  const again = await take(told.replace('5;;agent-1', '5;Eve Demo;agent-1'));
  expect(again.rows.map(({ outcome }) => outcome)).toEqual([...Array(4).fill('unchanged'), 'created']);
  const given = await service.db('customers').orderBy('id').pluck('assigned_agent');
  expect(given).toEqual(['agent-1', 'agent-2', 'agent-3', null, 'agent-1']);
});

test('what a person said stays as it is, and the row says so, before and after', async () => {
  await take('customer_id,name,locale,phones', 'C-1,Ada Demo,de,+447700900123');
  await service.patch(staff, '/ops/customers/C-1', { locale: 'fr', phones: ['+447700900123', '+447700900125'] });
  const file = ['customer_id,name,locale,phones', 'C-1,Ada Demo,de,+447700900124'] as const;
  expect((await bring('', ...file)).rows).toMatchObject([{ outcome: 'change', kept: ['locale', 'phones'] }]);
  const taken = await take(...file);
  expect(taken.rows).toMatchObject([{ outcome: 'changed', kept: ['locale', 'phones'] }]);
  const phones = ['+447700900124', '+447700900125'];
  expect(await customer('C-1')).toMatchObject({ locale: 'fr', phones, sources: { name: { source: 'import' } } });
  expect((await take(...file)).rows).toMatchObject([{ outcome: 'unchanged', kept: ['locale', 'phones'] }]);
  expect((await service.get<string>(staff, `${path}/${taken.id}/rows.csv`)).body).toContain(',"locale; phones",');
});

test('a former customer stays one whatever a file says of them, and the row says so', async () => {
  const file = ['customer_id,name', 'C-1,Ada Demo'] as const;
  await take(...file);
  await service.patch(staff, '/ops/customers/C-1', { archived: true });
  expect((await bring('', ...file)).rows).toMatchObject([{ outcome: 'unchanged', kept: ['archived'] }]);
  const taken = await take('customer_id,name', 'C-1,Ada New');
  expect(taken.rows).toMatchObject([{ outcome: 'changed', kept: ['archived'] }]);
  expect(await customer('C-1')).toMatchObject({ name: 'Ada New', archived_at: expect.any(String) });
});

test('what a file changes is told of whoever had it taken in, and so is the import', async () => {
  const file = ['customer_id,name,locale', 'C-told,Ada Demo,de'] as const;
  await take(...file);
  const looked = await bring('', ...file.map((line) => line.replace(',de', ',fr')));
  await service.post(admin, `${path}/${looked.id}/apply`);
  await settled(looked.id);
  const { body } = await service.get<Page<AuditEntry>>(staff, '/ops/customers/C-told/history');
  expect(body.data).toMatchObject([
    { actor: admin.sub, action: 'applyCustomerImport', changes: [{ field: 'locale', old: 'de', new: 'fr' }] },
    { actor: staff.sub, action: 'importCustomers' },
  ]);
  const about = await service.db('audit').where({ subject_kind: 'import', subject_id: looked.id }).orderBy('at');
  expect(about).toMatchObject([
    { actor: staff.sub, action: 'importCustomers' },
    { actor: admin.sub, action: 'applyCustomerImport' },
  ]);
});

test('a wrong first line is refused at once', async () => {
  const answer = await send<Problem>('customer_id,full_name\n');
  expect([answer.status, answer.body.errors]).toEqual([
    422,
    [
      { path: 'name', message: 'is missing' },
      { path: 'full_name', message: 'is not known' },
    ],
  ]);
});

test('many customers come in several transactions, each told of once', async () => {
  const rows = Array.from({ length: 450 }, (_, n) => `C-${n},Demo ${n},+44770090${1000 + n}`);
  const taken = await take('customer_id,name,phones', ...rows);
  expect([taken.counts.done, (await service.events()).length]).toEqual([450, 450]);
  expect(await customer('C-449')).toMatchObject({ phones: ['+447700901449'] });
});
