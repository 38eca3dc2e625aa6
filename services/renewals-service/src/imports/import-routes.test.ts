import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { Renewal } from '@ops/contracts/resources/renewal';
import { retentionOrder } from '@ops/contracts/test/retention';
import { tooMany } from '@ops/imports/import';
import { importPlaces } from '@ops/imports/import-places';
import { createRetention } from '@ops/service-kit/retention';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { csv, importing, path } from '../../test/import.ts';
import { automation, scheduler, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let files: ReturnType<typeof importing>;

beforeAll(async () => {
  service = await startTestService();
  files = importing(service);
  service.customers.add({ id: 'C-1' }, { id: 'C-2' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.empty();
  service.customers.away(false);
  service.customers.calls();
});

const header = 'customer_id,service_type,due_date';
const good = csv(header, 'C-1,RESIDENCE_PERMIT,2027-03-01', 'C-2,WORK_PERMIT,2027-04-01');
const stored = () => service.db('renewals').orderBy('due_date').select('customer_id', 'service_type', 'due_date');

test('a program takes in what it sent itself, and no file that somebody else looks through', async () => {
  const looked = await files.look(good);
  const asked = await service.post<Problem>(automation, `/ops/imports/renewals/${looked.id}/apply`);
  expect([asked.status, asked.body.detail]).toEqual([403, 'Somebody else sent this file']);
  expect(await stored()).toEqual([]);
  const own = (await files.send(good, '', automation)).body;
  await files.settled(own.id);
  expect((await service.post(automation, `/ops/imports/renewals/${own.id}/apply`)).status).toBe(202);
});

test('a file is looked through first and changes nothing until somebody says so; then once', async () => {
  const looked = await files.look(good, '?name=spring.csv');
  expect(looked).toMatchObject({ name: 'spring.csv', status: 'CHECKED', created_by: 'agent-1', finished_at: null });
  expect(looked.counts).toEqual({ rows: 2, to_create: 2, to_change: 0, unchanged: 0, refused: 0, done: 0 });
  expect(looked.rows).toEqual([
    {
      line: 2,
      outcome: 'create',
      key: 'C-1 RESIDENCE_PERMIT due 2027-03-01',
      id: null,
      errors: [],
      kept: [],
      responsible_agent: null,
    },
    {
      line: 3,
      outcome: 'create',
      key: 'C-2 WORK_PERMIT due 2027-04-01',
      id: null,
      errors: [],
      kept: [],
      responsible_agent: null,
    },
  ]);
  expect([await stored(), await service.events()]).toEqual([[], []]);

  expect(await files.apply(looked.id)).toMatchObject({ status: 202, body: { status: 'RUNNING' } });
  const taken = await files.settled(looked.id);
  expect([taken.status, taken.counts.done, taken.finished_at]).toEqual(['COMPLETED', 2, expect.any(String)]);
  expect(await stored()).toEqual([
    { customer_id: 'C-1', service_type: 'RESIDENCE_PERMIT', due_date: '2027-03-01' },
    { customer_id: 'C-2', service_type: 'WORK_PERMIT', due_date: '2027-04-01' },
  ]);
  const [first] = await files.rows(looked.id);
  const { body } = await service.get<Renewal>(staff, `/ops/renewals/${first?.id}`);
  expect([first?.outcome, body.customer_id]).toEqual(['created', 'C-1']);
  const told = (await service.events()).map(({ type, data }) => [type, data.change, data.customer_id]);
  expect(told).toEqual(['C-1', 'C-2'].map((customer) => ['renewal.changed', 'created', customer]));

  expect(await files.apply(looked.id)).toMatchObject({ status: 202, body: { status: 'COMPLETED' } });
  expect([(await stored()).length, await service.db('import_chunks')]).toEqual([2, []]);
});

test('who sent a file, had it taken in and took its rows along is written down, each download by itself', async () => {
  const { id } = await files.look(good, '?name=spring.csv');
  for (let times = 0; times < 2; times++) await files.apply(id);
  await files.settled(id);
  for (const who of [staff, automation])
    expect(await service.get<string>(who, `${path}/${id}/rows.csv`)).toMatchObject({ status: 200 });
  await files.rows(id);
  const { body } = await service.get<Page<AuditEntry>>(staff, `${path}/${id}/history`);
  const told = body.data.map(({ actor, action, changes }) => [actor, action, changes?.at(-1)]).toReversed();
  expect(told).toEqual([
    [staff.sub, 'importRenewals', expect.anything()],
    [staff.sub, 'applyRenewalImport', { field: 'taken_in', old: false, new: true }],
    [staff.sub, 'downloadRenewalImportRows', { field: 'downloaded', old: null, new: true }],
    [automation.sub, 'downloadRenewalImportRows', { field: 'downloaded', old: null, new: true }],
  ]);
});

test('with dry_run=false the good rows are taken in at once', async () => {
  const taken = await files.take(csv(header, 'C-1,RESIDENCE_PERMIT,2027-03-01', 'C-1,RESIDENCE_PERMIT,soon'));
  expect(taken).toMatchObject({ status: 'COMPLETED', name: 'import.csv' });
  expect(taken.counts).toEqual({ rows: 2, to_create: 1, to_change: 0, unchanged: 0, refused: 1, done: 1 });
});

test('a file with nothing below its first line is done with', async () => {
  expect(await files.take(header)).toMatchObject({ status: 'COMPLETED', counts: { rows: 0, done: 0 } });
});

test('what cannot be applied is a conflict', async () => {
  const failed = await files.look(csv(header, 'C-1,"RESIDENCE_PERMIT,2027-03-01'));
  expect(failed).toMatchObject({ status: 'FAILED', failure: expect.stringMatching(/line 2 .*never closed/) });
  expect(await files.apply<Problem>(failed.id)).toMatchObject({ status: 409 });
  const looked = await files.look(good);
  // As though there were still something to be looked through.
  await service.db('imports').where({ id: looked.id }).update({ status: 'CHECKING' });
  expect(await files.apply<Problem>(looked.id)).toMatchObject({ status: 409 });
});

test('an import nobody knows is 404; who may not import is 403', async () => {
  const id = uuidv7();
  for (const place of [id, `${id}/rows`, `${id}/rows.csv`, `${id}/history`])
    expect((await service.get(staff, `${path}/${place}`)).status).toBe(404);
  expect((await files.apply(id)).status).toBe(404);
  expect((await files.send(good, '', scheduler)).status).toBe(403);
  expect((await files.send(good, '', automation)).status).toBe(202);
});

test('a file is taken once for its Idempotency-Key', async () => {
  const key = { 'Idempotency-Key': uuidv7() };
  const [first, second] = [await files.send(good, '', staff, key), await files.send(good, '', staff, key)];
  expect([first.status, second.body.id, second.headers.get('idempotency-replayed')]).toEqual([
    202,
    first.body.id,
    'true',
  ]);
  expect(Number((await service.db('imports').count())[0]?.count)).toBe(1);
});

describe('a file whose first line is wrong is refused at once, column by column', () => {
  test.each([
    ['a column is missing', 'customer_id,due_date\n', [{ path: 'service_type', message: 'is missing' }]],
    ['a column is not known', `${header},colour\n`, [{ path: 'colour', message: 'is not known' }]],
    ['a column stands twice', `${header},due_date\n`, [{ path: 'due_date', message: 'stands twice' }]],
    ['it is not UTF-8', Buffer.from(`${header}\nC-1,Z\xfc,\n`, 'latin1'), [{ path: 'file' }]],
    ['it is not UTF-8 further down', Buffer.from(`${good.repeat(2_000)}\xfc`, 'latin1'), [{ path: 'file' }]],
    ['it is no CSV', Buffer.from('PK\u0003\u0004 a spreadsheet'), [{}, {}, {}, {}]],
  ])('%s', async (_, file, errors) => {
    const answer = await files.send<Problem>(file);
    expect([answer.status, answer.body.errors]).toEqual([422, errors.map((one) => expect.objectContaining(one))]);
    expect(await service.db('imports')).toEqual([]);
  });

  test('no file and a setting nobody knows are refused', async () => {
    expect((await files.send('')).status).toBe(400);
    expect((await files.send(good, '?seed_alerts=loud')).status).toBe(422);
    expect((await files.send(good, '?colour=red')).status).toBe(422);
  });
});

const columns = `${header},external_id,policy_id,notes,assigned_agent,reminders`;
const refusals: [string, string, { column: string; message: RegExp }[]][] = [
  ['no customer', ',RESIDENCE_PERMIT,2027-03-01,,,,,', [{ column: 'customer_id', message: /is required/ }]],
  [
    'a customer that is none',
    'C-9,RESIDENCE_PERMIT,2027-03-01,,,,,',
    [{ column: 'customer_id', message: /no customer: C-9/ }],
  ],
  [
    'a customer id that cannot be one',
    'C 1,RESIDENCE_PERMIT,2027-03-01,,,,,',
    [{ column: 'customer_id', message: /letters/ }],
  ],
  ['no date', 'C-1,RESIDENCE_PERMIT,,,,,,', [{ column: 'due_date', message: /is required/ }]],
  [
    'a date in another order',
    'C-1,RESIDENCE_PERMIT,01.03.2027,,,,,',
    [{ column: 'due_date', message: /such as 2026-03-31/ }],
  ],
  [
    'a date there never is',
    'C-1,RESIDENCE_PERMIT,2027-02-29,,,,,',
    [{ column: 'due_date', message: /such as 2026-03-31/ }],
  ],
  [
    'a date with a time',
    'C-1,RESIDENCE_PERMIT,2027-03-01T00:00:00Z,,,,,',
    [{ column: 'due_date', message: /such as 2026-03-31/ }],
  ],
  ['a date beyond all others', 'C-1,RESIDENCE_PERMIT,2999-01-01,,,,,', [{ column: 'due_date', message: /2199/ }]],
  ['a service type in words', 'C-1,Residence permit,2027-03-01,,,,,', [{ column: 'service_type', message: /capital/ }]],
  [
    'reminders that are neither',
    'C-1,RESIDENCE_PERMIT,2027-03-01,,,,,maybe',
    [{ column: 'reminders', message: /on.*off/ }],
  ],
  ['a cell too many', 'C-1,RESIDENCE_PERMIT,2027-03-01,,,a,b,on,x', [{ column: '$', message: /9 cells.*8 columns/ }]],
  ['a cell too few', 'C-1,RESIDENCE_PERMIT,2027-03-01', [{ column: '$', message: /3 cells.*8 columns/ }]],
  ['a NUL byte', 'C-1,RESIDENCE_PERMIT,2027-03-01,,,a\u0000b,,', [{ column: 'notes', message: /NUL/ }]],
  [
    'two faults',
    'C-1,permit,soon,,,,,',
    [
      { column: 'service_type', message: /capital/ },
      { column: 'due_date', message: /such as 2026-03-31/ },
    ],
  ],
  [
    'notes without end',
    `C-1,RESIDENCE_PERMIT,2027-03-01,,,${'x'.repeat(10_001)},,`,
    [{ column: 'notes', message: /10000/ }],
  ],
];

test('a row that is wrong is refused by column and reason, and the others are taken', async () => {
  const rows = refusals.flatMap(([, row], n) => [row, `C-1,WORK_PERMIT,2027-03-01,,P-${n},,,`]);
  const taken = await files.take(csv(columns, ...rows));
  expect(taken.status).toBe('COMPLETED');
  expect(taken.counts).toMatchObject({ rows: rows.length, refused: refusals.length, done: refusals.length });
  const refused = taken.rows.filter(({ outcome }) => outcome === 'refused');
  expect(refused.map(({ line, errors }) => [refusals[(line - 2) / 2]?.[0], errors])).toEqual(
    refusals.map(([name, , errors]) => [
      name,
      errors.map(({ column, message }) => ({ column, message: expect.stringMatching(message) })),
    ]),
  );
  expect(taken.rows.filter(({ outcome }) => outcome === 'created')).toHaveLength(refusals.length);
});

test('two rows about the same: the first counts, and the other is told of it', async () => {
  const many = Array.from({ length: 250 }, (_, n) => `C-1,WORK_PERMIT,2027-03-01,,P-${n},,,`);
  const twins = [
    'C-1,WORK_PERMIT,2027-03-01,X-1,,,,',
    'C-2,WORK_PERMIT,2028-03-01,X-1,,,,',
    'C-1,WORK_PERMIT,2029-03-01,,P-7,,,',
    'C-2,WORK_PERMIT,2027-03-01,,,,,',
    'C-2,WORK_PERMIT,2027-03-01,,,again,,',
  ];
  const looked = await files.look(csv(columns, ...many, ...twins));
  expect(looked.counts).toMatchObject({ rows: 255, to_create: 252, refused: 3 });
  const refused = await files.rows(looked.id, '?outcome=refused');
  expect(refused.map(({ line, errors }) => [line, errors[0]?.message])).toEqual([
    [253, 'is about the same as line 252: external id X-1'],
    [254, 'is about the same as line 9: C-1 WORK_PERMIT policy P-7'],
    [256, 'is about the same as line 255: C-2 WORK_PERMIT due 2027-03-01'],
  ]);
});

test('a file of which all is refused is given up long before its end, and says so; nothing of it is taken in', async () => {
  const rows = ['C-1,WORK_PERMIT,2027-03-01', ...Array.from({ length: 9_000 }, () => '!,,')];
  const given = await files.take(csv(header, ...rows));
  expect(given).toMatchObject({
    status: 'FAILED',
    failure: expect.stringMatching(/^More than 5,000 rows are refused/),
  });
  expect(given.counts.refused).toBeLessThanOrEqual(5_000);
  expect(await stored()).toEqual([]);
});

test.each([
  [{ rows: 250_000, refused: 5_000 }, undefined],
  [{ rows: 250_001, refused: 0 }, 'The file has more than 250,000 rows; send it in parts'],
])('%j is within what is looked through, or is told to be beyond it', (counts, expected) => {
  expect(tooMany(counts)).toBe(expected);
});

test('customers are asked for once a portion', async () => {
  service.customers.add(...Array.from({ length: 500 }, (_, n) => ({ id: `K-${n}` })));
  const rows = Array.from({ length: 500 }, (_, n) => `K-${n},RESIDENCE_PERMIT,2027-03-01`);
  const looked = await files.look(csv(header, ...rows));
  expect(looked.counts.to_create).toBe(500);
  const portions = await service.db('outbox').where({ type: 'renewal_import.continue' });
  expect(service.customers.calls()).toBe(portions.length - 1);
  await files.apply(looked.id);
  await files.settled(looked.id);
  expect(service.customers.calls()).toBe(0);
});

test('while nobody can say who is a customer the looking through waits, and then goes on', async () => {
  service.customers.away(true);
  const begun = await files.send(good, '?dry_run=false');
  await eventually(() => expect(service.customers.calls()).toBeGreaterThan(0));
  await eventually(() => expect(service.customers.calls()).toBeGreaterThan(0));
  expect(await files.get(begun.body.id)).toMatchObject({ status: 'CHECKING', counts: { rows: 0 } });
  service.customers.away(false);
  expect(await files.settled(begun.body.id)).toMatchObject({ status: 'COMPLETED', counts: { done: 2 } });
});

test('what is applied twice at once is taken in once', async () => {
  const { id } = await files.look(good);
  const answers = await Promise.all([files.apply(id), files.apply(id), files.apply(id)]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(await files.settled(id)).toMatchObject({ status: 'COMPLETED', counts: { done: 2 } });
  expect([(await stored()).length, (await service.events()).length]).toEqual([2, 2]);
});

test('a row that no transaction survives is refused, and the others of its batch are taken in', async () => {
  await service.db.raw(`ALTER TABLE renewals ADD CONSTRAINT poison CHECK (notes <> 'poison')`);
  const rows = Array.from({ length: 30 }, (_, n) => `C-1,WORK_PERMIT,2027-03-01,,P-${n},${n === 17 ? 'poison' : ''},,`);
  const taken = await files.take(csv(columns, ...rows));
  await service.db.raw('ALTER TABLE renewals DROP CONSTRAINT poison');
  expect(taken).toMatchObject({ status: 'COMPLETED', counts: { to_create: 29, refused: 1, done: 29 } });
  expect(taken.rows.filter(({ outcome }) => outcome === 'refused').map(({ line }) => line)).toEqual([19]);
});

test('a fault of ours ends the import and says so, and the service goes on with others', async () => {
  await service.db.raw('ALTER TABLE external_ids RENAME TO mislaid');
  const looked = await files.look(good);
  await service.db.raw('ALTER TABLE mislaid RENAME TO external_ids');
  expect(looked).toMatchObject({ status: 'FAILED', failure: expect.stringContaining('fault of the service') });
  expect(await service.db('import_chunks')).toEqual([]);
  expect((await files.look(good)).status).toBe('CHECKED');
  expect(await service.db('dead_letters')).toEqual([]);
});

test('a large file does not hold up a small one that is sent after it', async () => {
  const rows = Array.from({ length: 401 }, (_, n) => `C-1,WORK_PERMIT,2027-03-01,,P-${n},,,`);
  const large = await files.send(csv(columns, ...rows), '?dry_run=false');
  const small = await files.take(good);
  const { finished_at } = await files.settled(large.body.id);
  expect(Date.parse(String(small.finished_at))).toBeLessThan(Date.parse(String(finished_at)));
});

test('a message that names no import holds none up', async () => {
  for (const data of [{}, { import_id: 'x' }, { import_id: uuidv7() }]) {
    const event = {
      specversion: '1.0',
      id: uuidv7(),
      source: 'x',
      type: 'renewal_import.continue',
      subject: 'x',
    } as const;
    await service.bus.publish([{ event: { ...event, time: service.clock.now().toISOString(), data } }]);
  }
  expect((await files.look(good)).status).toBe('CHECKED');
  expect(await service.db('dead_letters')).toEqual([]);
});

test('rows are listed in pages and by outcome', async () => {
  const rows = Array.from({ length: 5 }, (_, n) => `C-${n % 2},RESIDENCE_PERMIT,2027-03-0${n + 1}`);
  const { id } = await files.look(csv(header, ...rows));
  const page = await service.get<{ data: { line: number }[]; next_cursor: string }>(
    staff,
    `${path}/${id}/rows?limit=3`,
  );
  expect(page.body.data.map(({ line }) => line)).toEqual([2, 3, 4]);
  expect((await files.rows(id, `?limit=3&cursor=${page.body.next_cursor}`)).map(({ line }) => line)).toEqual([5, 6]);
  expect((await files.rows(id, '?outcome=refused')).map(({ line }) => line)).toEqual([2, 4, 6]);
  expect((await service.get(staff, `${path}/${id}/rows?cursor=x`)).status).toBe(422);
});

test('what became of the rows can be downloaded, corrected and sent again', async () => {
  const named = 'customer_id;service_type;due_date;notes';
  const rows = [
    'C-1;RESIDENCE_PERMIT;2027-03-01;"=cmd|\'/c calc\'!A1"',
    'C-2;WORK_PERMIT;soon;"two\r\nlines, ""quoted"""',
  ];
  const taken = await files.take(`\ufeff${[named, ...rows].join('\r\n')}\r\n`);
  const file = await files.file(taken.id);
  expect(file.split('\r\n')).toEqual([
    'import_line;import_outcome;import_id;import_errors;import_responsible_agent;import_kept;customer_id;service_type;due_date;notes',
    `2;created;${taken.rows[0]?.id};;;;C-1;RESIDENCE_PERMIT;2027-03-01;'=cmd|'/c calc'!A1`,
    '3;refused;;due_date: must be a date such as 2026-03-31;;;C-2;WORK_PERMIT;soon;"two\nlines, ""quoted"""',
    '',
  ]);
  const again = await files.take(file.replace('soon', '2027-05-01'));
  expect(again.rows.map(({ line, outcome }) => [line, outcome])).toEqual([
    [2, 'unchanged'],
    [3, 'created'],
  ]);
  const notes = await service.db('renewals').orderBy('due_date').pluck('notes');
  expect(notes).toEqual(["=cmd|'/c calc'!A1", 'two\nlines, "quoted"']);
});

test('rows that had their time are removed, and their import with them', async () => {
  await files.take(good);
  const old = await service.db('imports').first('id');
  await service.db('imports').update({ updated_at: '2020-01-01' });
  const young = await files.look(good);
  const retention = createRetention({ service: 'renewals-service', db: service.db, places: importPlaces });
  const { places } = await retention.apply(retentionOrder(service.clock.now(), {}, false));
  expect(places.map(({ place, rows }) => [place, rows])).toEqual([
    ['import_rows', 2],
    ['imports', 1],
  ]);
  expect([await files.get(young.id), await service.db('imports').where(old)]).toMatchObject([{ id: young.id }, []]);
});

test('a row says who deals with its renewal today, and sent again it gives the renewal to nobody else', async () => {
  const away = '2999-12-31';
  const agents = service.db('agents');
  await agents.clone().where({ id: 'agent-2' }).update({ absent_until: away, deputy: 'agent-1' });
  await agents.clone().where({ id: 'agent-3' }).update({ absent_until: away });
  const file = csv(
    `${header},policy_id,assigned_agent`,
    'C-1,INSURANCE_POLICY,2027-03-01,P-1,agent-1',
    'C-1,INSURANCE_POLICY,2027-03-02,P-2,agent-2',
    'C-1,INSURANCE_POLICY,2027-03-03,P-3,agent-3',
    'C-1,INSURANCE_POLICY,2027-03-04,P-4,',
    'C-2,INSURANCE_POLICY,2027-03-05,P-5,',
    'C-2,INSURANCE_POLICY,soon,P-6,agent-1',
  );
  const looked = await files.look(file);
  expect(looked.rows.map((row) => row.responsible_agent)).toEqual([null, null, null, null, null, null]);
  await files.apply(looked.id);
  await files.settled(looked.id);
  await service.db('renewals').where({ customer_id: 'C-2' }).update({ customer_agent: 'agent-2' });
  const dealtWith = ['agent-1', 'agent-1', null, null, 'agent-1', null];
  expect((await files.rows(looked.id)).map((row) => row.responsible_agent)).toEqual(dealtWith);

  const told = await files.file(looked.id);
  expect(told.split('\r\n').map((line) => line.split(',')[4])).toEqual([
    'import_responsible_agent',
    ...dealtWith.map((agent) => agent ?? ''),
    undefined,
  ]);
  const again = await files.take(told.replace('soon', '2027-03-06'));
  expect(again.rows.map(({ outcome }) => outcome)).toEqual([...Array(5).fill('unchanged'), 'created']);
  const given = await service.db('renewals').orderBy('due_date').pluck('assigned_agent');
  expect(given).toEqual(['agent-1', 'agent-2', 'agent-3', null, null, 'agent-1']);

  // What is over stays with whoever had it.
  await service.patch(staff, `/ops/renewals/${again.rows[1]?.id}/cancel`);
  expect((await files.rows(looked.id))[1]).toMatchObject({ responsible_agent: 'agent-2' });
  await agents.clone().update({ absent_until: null, deputy: null });
});
