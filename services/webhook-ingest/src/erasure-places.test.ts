import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { erasureOrder } from '@ops/contracts/test/erasure';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createErasure } from '@ops/service-kit/erasure';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { tablesHolding } from '@ops/test-kit/find-text';
import { canary } from '@ops/test-kit/logs';
import { createTestDatabase, type TestDatabase } from '../test/database.ts';
import { ingestErasure } from './erasure-places.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.urls.ingest, { applicationName: 'test' });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});
beforeEach(() => emptyTables(db, 'deliveries', 'items', 'parts', 'erasure_counts'));

const apply = (order: Parameters<typeof erasureOrder>[0]) =>
  createErasure({ service: 'webhook-ingest', db, places: ingestErasure, queues: [] }).apply(erasureOrder(order));

/** What a provider posted, with these items; answers its id. */
async function deliver(body: string, externals: string[], received_at = new Date(Date.now() - 60_000)) {
  const id = uuidv7();
  const bytes = Buffer.from(body);
  const fingerprint = createHash('sha256').update(`${id}${body}`).digest();
  const of = { id, provider: 'cloud-api', path: '/webhooks/x', outcome: 'processed', items: 1, size: bytes.length };
  await db('deliveries').insert({ ...of, fingerprint, body: bytes, received_at, processed_at: received_at });
  for (const [position, external_id] of externals.entries()) {
    const item = {
      id: uuidv7(),
      delivery_id: id,
      position,
      provider: 'cloud-api',
      account: 'a',
      kind: 'message',
      status: '',
    };
    await db('items').insert({ ...item, external_id, outcome: 'published' });
  }
  await db('parts').insert({ id: uuidv7(), delivery_id: id, role: 'file', media_type: 'text/plain', bytes });
  return id;
}

const address = [
  { kind: 'phone' as const, value: '+41446681800' },
  { kind: 'email' as const, value: 'demo@example.com' },
];

test.each([
  ['with an item of theirs', (words: string) => deliver(words, ['other', 'wamid.1'])],
  [
    'that has their number as the messaging app writes it',
    (words: string) => deliver(`{"from":"41446681800","t":"${words}"}`, []),
  ],
  ['that has it in a form', (words: string) => deliver(`From=%2B41446681800&Body=${words}`, [])],
  ['that has their address in other letters', (words: string) => deliver(`From: Demo@Example.com\r\n\r\n${words}`, [])],
  [
    'that has it in a form, and bytes that are no text',
    (words: string) => deliver(`from=demo%40example.com\xff&t=${words}`, []),
  ],
])('a delivery %s loses its whole body and its files, and stays known as one', async (_, delivered) => {
  const words = canary();
  const id = await delivered(words);
  await deliver('{"from":"41446681801"}', ['wamid.2']);
  await deliver('{"from":"41446681800"}', ['wamid.3'], new Date(Date.now() + 60_000));
  const order = { addresses: address, externals: ['wamid.1'] };
  expect((await apply(order)).next).toBeNull();
  expect(await tablesHolding(db, words)).toEqual([]);
  expect(await tablesHolding(db, 'wamid.1')).toEqual([]);
  expect(await db('deliveries').where({ id }).first()).toMatchObject({ body: null, outcome: 'processed' });
  expect(await db('deliveries').whereNotNull('body')).toHaveLength(2);
  expect(await db('parts')).toHaveLength(2);
  expect(await apply(order)).toMatchObject({ changed: 0 });
});
