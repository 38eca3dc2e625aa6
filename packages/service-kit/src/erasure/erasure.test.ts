import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { keepDeadLetter } from '@ops/bus/dead-letters';
import { takeFresh } from '@ops/bus/inbox';
import type { ErasureOrder } from '@ops/contracts/internal-routes';
import { erasureOrder } from '@ops/contracts/test/erasure';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { tablesHolding } from '@ops/test-kit/find-text';
import { canary } from '@ops/test-kit/logs';
import { v7 as uuid } from 'uuid';
import { createProvisionedDatabase, type TestDatabase } from '../../test/database.ts';
import { actIn, audit } from '../auditing/auditing.ts';
import { verifyChain } from '../auditing/chain.ts';
import { type Db, inTransaction, openDatabase, rows } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { sharedMigrations } from '../database/shared-migrations.ts';
import { createErasure, type ErasurePlace } from './erasure.ts';
import { sharedErasure } from './shared-erasure.ts';
import { ERASED_AT, IDS } from './sought.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createProvisionedDatabase();
  db = openDatabase(database.urls.comms, { applicationName: 'kit-test' });
  await migrate(db, sharedMigrations);
  await db.raw(
    'CREATE TABLE things (id uuid PRIMARY KEY, customer_id text NOT NULL, words text, at timestamptz NOT NULL)',
  );
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});
beforeEach(() =>
  emptyTables(db, 'outbox', 'inbox', 'idempotency_keys', 'dead_letters', 'things', 'erasure_counts', 'erasure_events'),
);

const theirs = `t.customer_id = ANY (${IDS}) AND t.at <= ${ERASED_AT}`;
const goes: ErasurePlace = { name: 'things', table: 'things', theirs };
const isBlanked: ErasurePlace = { ...goes, blanks: { words: `''` } };
const isLookedThrough: ErasurePlace = { ...goes, through: { key: 'id', type: 'uuid' } };

const erasureOf = (places: readonly ErasurePlace[], more: { mostMs?: number; portion?: number } = {}) =>
  createErasure({ service: 'comms-service', db, places, queues: ['comms-service:a:b', 'comms-service:c:d'], ...more });
const apply = (order: ErasureOrder, places: readonly ErasurePlace[] = sharedErasure) => erasureOf(places).apply(order);

const put = (customer_id: string, n: number, at = new Date()) =>
  db('things').insert(Array.from({ length: n }, () => ({ id: uuid(), customer_id, words: 'words', at })));

test.each([
  ['goes', goes],
  ['is blanked', isBlanked],
  ['is looked for from end to end', isLookedThrough],
])(
  'what %s does so in portions, is counted once however often it is asked for, and nothing else is touched',
  async (_, place) => {
    await put('C-1', 23);
    await put('C-2', 5);
    await put('C-1', 1, new Date(Date.now() + 60_000));
    const order = erasureOrder();
    const outcomes = [];
    for (let n = 0; n < 3; n++) outcomes.push(await erasureOf([place], { portion: 10 }).apply(order));
    expect(outcomes.map(({ changed, next }) => [changed, next])).toEqual([
      [23, null],
      [0, null],
      [0, null],
    ]);
    expect(outcomes.at(-1)?.places).toEqual([{ service: 'comms-service', place: 'things', rows: 23 }]);
    expect((await db('things').where({ words: 'words' })).map((one) => one.customer_id).sort()).toEqual([
      'C-1',
      ...Array(5).fill('C-2'),
    ]);
  },
);

test('a call that has had its time says where to go on, and going on there comes to the end', async () => {
  await put('C-1', 3_000);
  const erasure = erasureOf([isLookedThrough, { ...goes, name: 'again' }], { mostMs: 1, portion: 500 });
  let order = erasureOrder();
  let calls = 0;
  for (let more = true; more; calls++) {
    const { next } = await erasure.apply(order);
    order = { ...order, from: next };
    more = next !== null;
  }
  expect(calls).toBeGreaterThan(3);
  expect(await db('things')).toEqual([]);
  expect((await erasure.apply(erasureOrder())).places).toMatchObject([{ place: 'things', rows: 3_000 }]);
});

test('one that was killed between two portions is done again from the beginning, and its counts are whole', async () => {
  await put('C-1', 30);
  const fails: ErasurePlace = { ...goes, name: 'fails', theirs: '1 / (SELECT count(*) FROM things) > 0' };
  await expect(erasureOf([goes, fails], { portion: 10 }).apply(erasureOrder())).rejects.toThrow();
  await put('C-1', 4);
  expect((await erasureOf([goes]).apply(erasureOrder())).places).toMatchObject([{ rows: 34 }]);
});

const told = (type: string, data: object, words: string) => {
  const id = uuid();
  const event = { specversion: '1.0', id, source: 'comms-service', type, data: { ...data, words } };
  // By the clock the order is dated by: the database's is finer, and so ahead of it within a millisecond.
  return { event_id: id, type, event: JSON.stringify(event), created_at: new Date() };
};

test('what was told of them goes from the outbox, and whoever hears it from then on knows it already', async () => {
  const words = canary();
  const [waiting, out] = [
    told('customer.changed', { customer_id: 'C-1' }, words),
    told('provider.message.received', { sender: { phone: '+41446681800' } }, words),
  ];
  await db('outbox').insert([waiting, { ...out, published_at: new Date() }]);
  const others = [
    told('customer.changed', { customer_id: 'C-2', merged_from: ['C-1'] }, 'x'),
    told('policy.issued', { customer_id: 'C-1' }, 'x'),
    told('customer.erased', { customer_id: 'C-1' }, 'x'),
  ];
  await db('outbox').insert(others);
  const order = erasureOrder({ addresses: [{ kind: 'phone', value: '+41446681800' }] });
  const outcome = await apply(order);
  expect(outcome.events.toSorted()).toEqual([waiting.event_id, out.event_id].toSorted());
  expect((await db('outbox').orderBy('id')).map(({ type }) => type)).toEqual(others.map(({ type }) => type));
  expect(await tablesHolding(db, words)).toEqual([]);

  await apply({ ...order, events: outcome.events });
  const under = outcome.events.map((id) => ({ id, source: 'comms-service' }));
  await inTransaction(db, async (trx) => {
    for (const queue of ['comms-service:a:b', 'comms-service:c:d'])
      expect(await takeFresh(trx, queue, under)).toEqual([]);
    const message = { event: JSON.parse(waiting.event), attempt: 9 };
    expect(await keepDeadLetter(trx, { queue: 'comms-service:a:b', message, reason: 'x' })).toBeUndefined();
  });
  await db('outbox').update({ published_at: new Date() });
  expect((await apply(order)).events).toEqual(outcome.events);
  expect(await db('outbox')).toEqual([]);
});

test('dead letters and kept answers that name them go, whatever else they hold', async () => {
  const words = canary();
  const letter = (body: object | string, subject: string) => ({
    id: uuid(),
    queue: 'q',
    event_id: uuid(),
    event_type: 'x',
    subject,
    body: JSON.stringify(body),
    attempts: 1,
    error: 'x',
  });
  await db('dead_letters').insert([
    letter({ data: { customer_id: 'C-1', words: `\u0000${words}` } }, 'C-1'),
    letter({ data: { customer_id: 'C-2' } }, 'C-2'),
  ]);
  const answer = (path: string, body: object, key: string, subject = 'agent-1') => ({
    subject,
    method: 'POST',
    path,
    key,
    fingerprint: 'x',
    status: 200,
    headers: '{}',
    body: JSON.stringify(body),
  });
  await db('idempotency_keys').insert([
    answer('/ops/customers/C-1/communications', { words }, '1'),
    answer('/ops/tasks', { customer_id: 'C-1', words }, '2'),
    answer('/ops/customers/C-1x/communications', { customer_id: 'C-1x' }, '3'),
    answer('/ops/tasks', { title: words }, '4', 'C-1'),
  ]);
  expect((await apply(erasureOrder())).places.map(({ place, rows: n }) => [place, n])).toEqual([
    ['dead_letters', 1],
    ['idempotency_keys', 3],
  ]);
  expect(await tablesHolding(db, words)).toEqual([]);
  expect([(await db('dead_letters')).length, (await db('idempotency_keys')).length]).toEqual([1, 1]);
});

test('what was written down of who changed what loses its values, and its chain is whole', async () => {
  const words = canary();
  const acting = { actor: { sub: 'agent-1', role: 'staff' as const }, requestId: 'r', action: 'putCustomer' };
  const write = (customer_id: string, after: object, kind: 'customer' | 'task' | 'erasure' = 'customer') =>
    inTransaction(db, (trx) => {
      actIn(trx, acting);
      return audit(trx, { subject: { kind, id: uuid(), customer_id }, before: undefined, after: { ...after } });
    });
  await write('C-1', { name: words });
  await write('C-1', { title: words }, 'task');
  await write('C-1', { proposal: 'PROPOSED' }, 'erasure');
  await write('C-2', { phones: [words, '+41446681800'] });
  await write('C-3', { name: 'stays' });
  const ask = <Row extends object>(sql: string) => rows<Row>(db, sql);
  await db.raw('SELECT seal_audit(100)');
  await apply(erasureOrder({ addresses: [{ kind: 'phone', value: '+41446681800' }] }));
  expect(await tablesHolding(db, words)).toEqual([]);
  expect(await verifyChain(ask)).toMatchObject({ rows: 5, withoutValues: 3, fault: undefined });
});

test('it is not at its end while something under way tells of them', async () => {
  const admin = openDatabase(database.adminUrl, { applicationName: 'kit-test' });
  await admin.raw(`INSERT INTO bus._private_tasks (identifier) VALUES ('comms-service:a:b')`);
  const job = JSON.stringify([{ attempt: 2, event: { data: { customer_id: 'C-1' } } }]);
  await admin.raw(
    `INSERT INTO bus._private_jobs (task_id, payload, run_at) SELECT id, ?, now() + interval '1 hour' FROM bus._private_tasks`,
    [job],
  );
  expect(await apply(erasureOrder())).toMatchObject({ waits: 1, changed: 0, next: null });
  await admin.raw('DELETE FROM bus._private_jobs');
  expect(await apply(erasureOrder())).toMatchObject({ waits: 0 });
  await admin.destroy();
});
