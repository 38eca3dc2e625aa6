import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import type { FoundPage } from '@ops/contracts/resources/search';
import { inTransaction } from '@ops/service-kit/database';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { said, taken } from '../../test/message.ts';
import { automation, customer, staff, startTestService, type TestService } from '../../test/service.ts';
import { redactRecords } from '../retention/redaction-store.ts';
import { catchUpWithWords } from './searching-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ RETENTION_CRON: 'off' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await emptyTables(service.db, 'communications', 'words_to_come');
  for (const [id, name] of [
    ['C-1', 'Ada Demo'],
    ['C-2', 'Bob Demo'],
  ] as const)
    await service.put(staff, `/ops/customers/${id}`, { name, phones: [`+4477009000${id.slice(2)}0`] });
});

const search = async (q: string, more: Record<string, string> = {}) =>
  (await service.get<FoundPage>(staff, `/ops/communications/search?${new URLSearchParams({ q, ...more })}`)).body;
const bodies = async (q: string) =>
  (await search(q)).data.map(({ snippet }) => snippet.map(({ text }) => text).join(''));
const write = async (body: string, more: object = {}, id = 'C-1') =>
  (
    await service.post<Communication>(staff, `/ops/customers/${id}/communications`, {
      type: 'MESSAGING_APP',
      direction: 'INBOUND',
      body,
      ...more,
    })
  ).body;
const note = async (body: string) =>
  (await service.post<Communication>(staff, '/ops/customers/C-1/notes', { body })).body;

test('words are found in messages of every customer, in notes and in subjects, newest first, and it says where', async () => {
  const first = await write('Here is the copy of my passport.');
  const second = await write('Passports of all of us', { type: 'EMAIL', subject: 'Copies' }, 'C-2');
  await note('Asked for the passport; a copy is enough');
  const found = await search('COP passport');
  expect(found.is_partial).toBe(false);
  expect(found.data.map(({ customer_id, customer_name, type }) => [customer_id, customer_name, type])).toEqual([
    ['C-1', 'Ada Demo', 'INTERNAL_NOTE'],
    ['C-2', 'Bob Demo', 'EMAIL'],
    ['C-1', 'Ada Demo', 'MESSAGING_APP'],
  ]);
  expect(found.data[2]).toMatchObject({ id: first.id, occurred_at: first.occurred_at });
  expect(found.data[2]?.snippet.filter(({ hit }) => hit).map(({ text }) => text)).toEqual(['copy', 'passport']);
  expect(found.data[1]).toMatchObject({ id: second.id, snippet: [{ text: 'Passports', hit: true }, { hit: false }] });
});

test.each([
  ['Grüße aus MÜNCHEN, Straße 5', ['munchen', 'Grüsse', 'straße', 'münch']],
  ['A autorização está pronta', ['autorizacao', 'AUTORIZAÇÃO', 'esta pronta']],
  ['Привет, мой паспорт', ['привет', 'ПАСП', 'мой']],
  ['Police AB-12/3456', ['ab 12', 'AB-12/3456', '345']],
  ['Write to ada@example.com', ['ada@example.com', 'example']],
])('"%s" is found by %j', async (body, queries) => {
  await write(body);
  for (const q of queries) expect([q, (await bodies(q)).length]).toEqual([q, 1]);
});

test('what is not there is not found, nor the middle of a word, nor anything by signs alone', async () => {
  await write('The passport');
  for (const q of ['visa', 'passport visa', 'port', 'pa', '---', "' | !x:*"]) expect(await bodies(q)).toEqual([]);
});

test('a page goes on where the one before ended', async () => {
  for (const n of [1, 2, 3, 4, 5]) await write(`Document ${n}`);
  const first = await search('document', { limit: '2' });
  const second = await search('document', { limit: '2', cursor: first.next_cursor as string });
  const third = await search('document', { limit: '2', cursor: second.next_cursor as string });
  const ids = [first, second, third].flatMap(({ data }) => data.map(({ id }) => id));
  expect(new Set(ids).size).toBe(5);
  expect(third.next_cursor).toBeNull();
});

test('an edit is found, and what it said before', async () => {
  const message = said({ sender: { phone: '+447700900010' }, body: 'The old passport' });
  await taken(service, message);
  const edit = { kind: 'edit', target_external_id: message.external_id, body: 'The new visa' } as const;
  await taken(service, said({ ...edit, sender: { phone: '+447700900010' } }));
  expect(await bodies('visa')).toEqual(['The new visa']);
  expect(await bodies('passport')).toEqual(['The old passport']);
});

test('words that were struck out or removed are not found any more', async () => {
  const wrong = await note('A wrong passport');
  const old = await write('An old passport');
  const { status } = await service.post(staff, `/ops/communications/${wrong.id}/strike`);
  expect(status).toBe(200);
  expect(await bodies('passport')).toEqual(['An old passport']);
  await inTransaction(service.db, (trx) => redactRecords(trx, [old.id], new Date()));
  expect(await bodies('passport')).toEqual([]);
  expect(await service.db('communication_words')).toEqual([]);
});

test('a message of nobody yet is found with who wrote it, and once it is somebody’s with whose', async () => {
  const message = said({ sender: { phone: '+447700900999', name: 'Sam Stranger' }, body: 'About my passport' });
  await taken(service, message);
  const ofNobody = { customer_id: null, customer_name: null, sender: 'Sam Stranger' };
  expect(await search('passport')).toMatchObject({ data: [{ id: message.item_id, ...ofNobody }] });
  await service.post(staff, `/ops/unmatched/${message.item_id}/link`, { customer_id: 'C-1' });
  const adas = { customer_id: 'C-1', customer_name: 'Ada Demo', sender: null };
  expect(await search('passport')).toMatchObject({ data: [{ id: message.item_id, ...adas }] });
});

test('nobody but staff searches', async () => {
  await note('A passport');
  for (const actor of [automation, customer('C-1')])
    expect((await service.get(actor, '/ops/communications/search?q=passport')).status).toBe(403);
});

test('nothing to look for is refused in words', async () => {
  const { status, body } = await service.get<{ errors: unknown }>(staff, '/ops/communications/search');
  expect(status).toBe(422);
  expect(body.errors).toEqual([{ path: 'q', message: 'is required' }]);
});

test('what was there before words were kept is written down, unless it was struck out; and once', async () => {
  const wrong = await note('A wrong passport');
  for (const n of [1, 2, 3]) await write(`Passport ${n}`);
  await service.post(staff, `/ops/communications/${wrong.id}/strike`);
  await service.db('communication_words').delete();
  await service.db('words_to_come').insert({ before: 'ffffffff-ffff-ffff-ffff-ffffffffffff' });
  expect(await bodies('passport')).toEqual([]);
  await Promise.all([catchUpWithWords(service.db), catchUpWithWords(service.db)]);
  expect(await bodies('passport')).toHaveLength(3);
  expect(await service.db('words_to_come')).toEqual([]);
});

test('of a word that too many have, the newest are there all the same', async () => {
  await service.db.raw(
    `INSERT INTO communications (id, customer_id, type, direction, body, unread, status, occurred_at, created_at)
     SELECT CAST('01000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0') AS uuid), 'C-1', 'EMAIL', 'INBOUND', 'Common',
            false, 'RECEIVED', now() - interval '1 year', now() - interval '1 year'
     FROM generate_series(1, 5100) n`,
  );
  const newest = await write('Common too');
  const found = await search('common', { limit: '1' });
  expect(found.is_partial).toBe(true);
  expect(found.data[0]?.id).toBe(newest.id);
});
