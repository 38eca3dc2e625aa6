import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { erasureOrder } from '@ops/contracts/test/erasure';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createErasure } from '@ops/service-kit/erasure';
import { uuidv7 } from '@ops/test-kit/builders';
import { tablesHolding } from '@ops/test-kit/find-text';
import { canary } from '@ops/test-kit/logs';
import { createTestDatabase, type TestDatabase } from '../test/database.ts';
import { notifierErasure } from './erasure-places.ts';

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

const before = new Date(Date.now() - 86_400_000);
const since = new Date(Date.now() + 60_000);

async function fill(customer_id: string, words: string, at: Date, status = 'CANCELLED') {
  const renewal = { renewal_id: uuidv7(), customer_id, due_date: '2030-01-31', status, reminders: 'on', version: 1 };
  await db('followed_renewals').insert(renewal);
  const action = {
    id: uuidv7(),
    renewal_id: renewal.renewal_id,
    due_date: renewal.due_date,
    rung: '30',
    channel: 'SMS',
  };
  await db('alert_actions').insert({ ...action, customer_id, outcome: 'planned', number: words, decided_at: at });
  await db('tasks').insert({
    id: uuidv7(),
    customer_id,
    title: words,
    notes: words,
    priority: 'NORMAL',
    status: 'OPEN',
    created_at: at,
    updated_at: at,
  });
}

async function send(customer_id: string, words: string) {
  const id = uuidv7();
  await db('sends').insert({
    id,
    communication_id: uuidv7(),
    attempt: 1,
    customer_id,
    type: 'SMS',
    provider: 'twilio',
    status: 'FAILED',
    trace: '{}',
    message: JSON.stringify({ body: words }),
    failure: JSON.stringify({ message: words }),
    sent_to: words,
    due_at: before,
    next_try_at: before,
    created_at: before,
  });
  const tried = { number: 1, started_at: before, ended_at: before, outcome: 'refused', reason: words };
  await db('send_tries').insert({ id: uuidv7(), send_id: id, ...tried });
  await receipt({ send_id: id, external_id: words });
}

const receipt = (more: object) =>
  db('send_receipts').insert({
    item_id: uuidv7(),
    provider: 'twilio',
    external_id: 'x',
    status: 'SENT',
    occurred_at: before,
    received_at: before,
    ...more,
  });

test('sends, tasks and what was planned go; what is of a date that is watched stays; nobody else is touched', async () => {
  const [words, others, watched] = [canary(), canary(), canary()];
  for (const [id, said] of [
    ['C-1', words],
    ['C-9', words],
    ['C-2', others],
  ] as const) {
    await fill(id, said, before);
    await send(id, said);
  }
  await receipt({ external_id: 'SM1', recipients: [words] });
  await receipt({ external_id: 'SM2', failure: JSON.stringify({ message: words }) });
  await receipt({ external_id: others });
  await fill('C-1', watched, since, 'UPCOMING');
  const held = [await tablesHolding(db, others), await tablesHolding(db, watched)];
  const erasure = createErasure({ service: 'notifier', db, places: notifierErasure, queues: [] });
  const order = erasureOrder({
    customer_ids: ['C-1', 'C-9'],
    addresses: [{ kind: 'user_id', value: words }],
    externals: ['SM2'],
  });
  const { places } = await erasure.apply(order);
  expect(await tablesHolding(db, words)).toEqual([]);
  expect([await tablesHolding(db, others), await tablesHolding(db, watched)]).toEqual(held);
  expect(places.map(({ place, rows }) => [place, rows])).toEqual([
    ['alert_actions', 2],
    ['followed_renewals', 2],
    ['send_receipts', 4],
    ['send_tries', 2],
    ['sends', 2],
    ['tasks', 2],
  ]);
  expect(await erasure.apply(order)).toMatchObject({ changed: 0, next: null, places });
});
