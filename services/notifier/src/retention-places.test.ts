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
import { notifierPlaces } from './retention-places.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.urls.notifier, { applicationName: 'test' });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});
beforeEach(() => emptyTables(db, 'sends', 'send_tries', 'send_receipts'));

const asOf = new Date('2026-06-01T00:00:00Z');
const apply = (order: RetentionOrder) =>
  createRetention({ service: 'notifier', db, places: notifierPlaces }).apply(order);

interface Sent {
  type?: string;
  status?: string;
  age: number;
  words?: string;
  on_wire_at?: Date;
}

async function send({ type = 'SMS', status = 'SENT', age, words = 'words', ...more }: Sent): Promise<string> {
  const id = uuidv7();
  const at = daysBefore(asOf, age);
  await db('sends').insert({
    id,
    communication_id: uuidv7(),
    attempt: 1,
    customer_id: 'C-1',
    type,
    provider: 'twilio',
    status,
    trace: '{}',
    message: status === 'QUEUED' ? JSON.stringify({ body: words }) : null,
    due_at: at,
    next_try_at: at,
    expires_at: at,
    created_at: at,
    ...more,
  });
  await db('send_tries').insert({
    id: uuidv7(),
    send_id: id,
    number: 1,
    started_at: at,
    ended_at: at,
    outcome: 'accepted',
    reason: words,
  });
  await receive(age, { send_id: id, failure: JSON.stringify({ code: 'x', message: words }) });
  return id;
}

const receive = (age: number, more: object = {}) =>
  db('send_receipts').insert({
    item_id: uuidv7(),
    provider: 'twilio',
    external_id: 'SM1',
    status: 'SENT',
    occurred_at: daysBefore(asOf, age),
    received_at: daysBefore(asOf, age),
    ...more,
  });

test('a send goes with its tries and receipts when its message has had its time, by its type', async () => {
  const words = canary();
  await send({ age: 11, words });
  const [email, young] = [await send({ age: 11, type: 'EMAIL' }), await send({ age: 9 })];
  const order = { SMS: 10 };
  expect(rowsByPlace(await apply(retentionOrder(asOf, order, true)))).toEqual({ sends: 1 });
  expect(await tablesHolding(db, words)).toEqual(['send_receipts', 'send_tries']);
  expect(rowsByPlace(await apply(retentionOrder(asOf, order)))).toEqual({ sends: 1 });
  expect(await tablesHolding(db, words)).toEqual([]);
  expect((await db('sends').orderBy('id')).map(({ id }) => id)).toEqual([email, young]);
});

test('a send to whoever is on legal hold stays, with its tries and receipts', async () => {
  await send({ age: 3000 });
  const order = retentionOrder(asOf);
  expect(rowsByPlace(await apply({ ...order, held: ['C-0', 'C-1'] }))).toEqual({});
  expect(rowsByPlace(await apply({ ...order, held: ['C-0'] }))).toEqual({ sends: 1 });
});

test('what waits to be sent, or may just be leaving, is left to its end', async () => {
  await send({ age: 3000, status: 'QUEUED' });
  await send({ age: 3000, status: 'UNCERTAIN', on_wire_at: asOf });
  expect(rowsByPlace(await apply(retentionOrder(asOf)))).toEqual({});
});

test('receipts of messages that nobody knows go as working rows do', async () => {
  await receive(31);
  await receive(29);
  expect(rowsByPlace(await apply(retentionOrder(asOf)))).toEqual({ parked_receipts: 1 });
  expect(await db('send_receipts')).toHaveLength(1);
});
