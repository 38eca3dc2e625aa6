import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { RetentionOrder } from '@ops/contracts/internal-routes';
import { daysBefore, retentionOrder, rowsByPlace } from '@ops/contracts/test/retention';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createRetention } from '@ops/service-kit/retention';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { tablesHolding } from '@ops/test-kit/find-text';
import { canary } from '@ops/test-kit/logs';
import { createTestDatabase, type TestDatabase } from '../test/database.ts';
import { ingestPlaces } from './retention-places.ts';

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
beforeEach(() => emptyTables(db, 'deliveries', 'items', 'parts'));

const asOf = new Date('2026-06-01T00:00:00Z');
const apply = (order: RetentionOrder) =>
  createRetention({ service: 'webhook-ingest', db, places: ingestPlaces({ now: () => asOf }) }).apply(order);

async function deliver(provider: string, age: number, words: string): Promise<string> {
  const id = uuidv7();
  const body = Buffer.from(JSON.stringify({ id, words }));
  await db('deliveries').insert({
    id,
    provider,
    fingerprint: createHash('sha256').update(body).digest(),
    path: '/webhooks/x',
    body,
    size: body.length,
    outcome: 'processed',
    items: 1,
    received_at: daysBefore(asOf, age),
    processed_at: daysBefore(asOf, age),
  });
  await db('items').insert({
    id: uuidv7(),
    delivery_id: id,
    position: 1,
    provider,
    account: 'a',
    kind: 'message',
    external_id: id,
    status: '',
    outcome: 'published',
  });
  const part = { role: 'file', name: `${words}.txt`, media_type: 'text/plain', bytes: Buffer.from(words) };
  await db('parts').insert([1, 2].map(() => ({ id: uuidv7(), delivery_id: id, ...part })));
  return id;
}

test('a raw payload and its parts are gone after their time; that it came, and what was taken from it, stays', async () => {
  const words = canary();
  const old = await deliver('mime', 91, words);
  const young = await deliver('mime', 89, 'still kept');
  expect(rowsByPlace(await apply(retentionOrder(asOf, {}, true)))).toEqual({ parts: 2, raw_payloads: 1 });
  expect(await tablesHolding(db, words)).toEqual(['deliveries', 'parts']);
  expect(rowsByPlace(await apply(retentionOrder(asOf)))).toEqual({ parts: 2, raw_payloads: 1 });
  expect(await tablesHolding(db, words)).toEqual([]);
  expect(await db('deliveries').where({ id: old }).first()).toMatchObject({
    body: null,
    redacted_at: asOf,
    outcome: 'processed',
  });
  expect(await db('deliveries').where({ id: young }).first()).toMatchObject({ redacted_at: null });
  expect([await db('items'), await db('parts')].map((rows) => rows.length)).toEqual([2, 2]);
  expect(rowsByPlace(await apply(retentionOrder(asOf)))).toEqual({});
});

test('what is held stays with its parts for as long as it is', async () => {
  const [held, free] = [await deliver('mime', 91, 'words'), await deliver('mime', 91, 'words')];
  await db('deliveries')
    .where({ id: held })
    .update({ held_until: new Date(Date.now() + 60_000) });
  await db('deliveries')
    .where({ id: free })
    .update({ held_until: new Date(Date.now() - 60_000) });
  expect(rowsByPlace(await apply(retentionOrder(asOf)))).toEqual({ parts: 2, raw_payloads: 1 });
  expect(await db('deliveries').where({ id: held }).first()).toMatchObject({ redacted_at: null });
  expect(await db('parts').where({ delivery_id: held })).toHaveLength(2);
});

test('a raw payload goes earlier when the messages of its channel do, and those of other channels stay', async () => {
  const providers = ['cloud-api', 'twilio', 'postmark', 'mailgun', 'sendgrid', 'mime'];
  for (const provider of providers) await deliver(provider, 10, 'words');
  const left = async () => (await db('deliveries').whereNull('redacted_at')).map(({ provider }) => provider).sort();
  await apply(retentionOrder(asOf, { SMS: 9, MESSAGING_APP: 11 }));
  expect(await left()).toEqual(providers.filter((provider) => provider !== 'twilio').sort());
  await apply(retentionOrder(asOf, { EMAIL: 9 }));
  expect(await left()).toEqual(['cloud-api']);
  await apply(retentionOrder(asOf, { MESSAGING_APP: 9 }));
  expect(await left()).toEqual([]);
});
