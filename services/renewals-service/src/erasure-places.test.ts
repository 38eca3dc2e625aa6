import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { erasureOrder } from '@ops/contracts/test/erasure';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createErasure } from '@ops/service-kit/erasure';
import { uuidv7 } from '@ops/test-kit/builders';
import { tablesHolding } from '@ops/test-kit/find-text';
import { canary } from '@ops/test-kit/logs';
import { createTestDatabase, type TestDatabase } from '../test/database.ts';
import { renewalsErasure } from './erasure-places.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.urls.renewals, { applicationName: 'test' });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const before = new Date(Date.now() - 86_400_000);
const due_date = '2030-01-31';

const renewal = (customer_id: string, words: string, more: object = {}) => ({
  id: uuidv7(),
  customer_id,
  service_type: 'WORK_PERMIT',
  due_date,
  anchor_day: 31,
  status: 'CANCELLED',
  closed_at: before,
  closed_from: 'UPCOMING',
  policy_id: words,
  notes: words,
  source_kind: 'policy',
  source_id: words,
  created_on: '2026-01-01',
  created_at: before,
  updated_at: before,
  ...more,
});

async function withAllThatHangsOnIt(customer_id: string, words: string) {
  const first = renewal(customer_id, words, { status: 'COMPLETED', cancel_note: words, acknowledged_note: words });
  const next = renewal(customer_id, words, { predecessor_id: first.id });
  await db('renewals').insert([first, next]);
  const followed = { successor_id: next.id, successor_version: 1, successor_made: true };
  await db('renewals').where({ id: first.id }).update(followed);
  const of = { renewal_id: first.id };
  const alert = { ...of, due_date, rung: '30', step: '0' };
  await db('alerts').insert({ ...alert, state: 'FIRED', days_until_due: 30, decided_at: before });
  const planned = {
    channel: 'SMS',
    outcome: 'not_sent',
    reason: JSON.stringify({ message: words }),
    told_id: uuidv7(),
  };
  await db('alert_outcomes').insert({ ...alert, ...planned, occurred_at: before });
  await db('compliance_flags').insert({ id: uuidv7(), customer_id, ...of, due_date, raised_at: before });
  await db('external_ids').insert({ ...of, external_id: words });
  const run = {
    id: uuidv7(),
    as_of: due_date,
    status: 'COMPLETED',
    counts: '{}',
    started_at: before,
    updated_at: before,
  };
  await db('refresh_runs').insert(run);
  await db('refresh_set_aside').insert({ run_id: run.id, ...of, error: words });
  const told = { kind: 'policy', source_id: words, told_at: before, told_id: uuidv7() };
  await db('upstream_statements').insert({ ...told, ...of });
  await db('upstream_endings').insert(told);
  await db('followed_tasks').insert({ task_id: uuidv7(), ...of, is_open: false, version: 1 });
  const message = {
    communication_id: uuidv7(),
    type: 'SMS',
    direction: 'OUTBOUND',
    status: 'SENT',
    occurred_at: before,
  };
  await db('linked_messages').insert({ ...message, ...of, told_at: before, told_id: uuidv7() });
  return first.id;
}

test('renewals that are over go with all that hangs on them; one that is watched stays, without notes; nobody else is touched', async () => {
  const [words, others] = [canary(), canary()];
  await withAllThatHangsOnIt('C-1', words);
  await withAllThatHangsOnIt('C-2', others);
  const open = { status: 'UPCOMING', closed_at: null, closed_from: null };
  const watched = renewal('C-1', 'P-77', { ...open, notes: words });
  const since = renewal('C-1', 'P-78', { created_at: new Date(Date.now() + 60_000) });
  await db('renewals').insert([watched, since]);
  const event = (policy_id: string) => ({
    event_id: uuidv7(),
    type: 'policy.cancelled',
    event: JSON.stringify({ data: { policy_id } }),
  });
  await db('outbox').insert([words, others].map((one) => ({ ...event(one), published_at: before })));
  const letter = { queue: 'q', event_id: uuidv7(), event_type: 'x', subject: '', attempts: 1, error: 'x' };
  await db('dead_letters').insert({ id: uuidv7(), ...letter, body: JSON.stringify({ data: { policy_id: words } }) });
  const cells = JSON.stringify({ customer_id: 'C-1', notes: words });
  const row = { cells, outcome: 'create', key: words, record_id: null };
  const file = { id: uuidv7(), name: 'x', status: 'CHECKED', options: '{}', layout: '{}', apply: false, counts: '{}' };
  await db('imports').insert({ ...file, created_by: 'agent-1', created_at: before, updated_at: before });
  await db('import_rows').insert([1, 2].map((line) => ({ import_id: file.id, line, ...row })));
  const others_ = { ...row, cells: JSON.stringify({ customer_id: 'C-2' }), key: 'other' };
  await db('import_rows').insert({ import_id: file.id, line: 3, ...others_ });

  const held = await tablesHolding(db, others);
  const erasure = createErasure({ service: 'renewals-service', db, places: renewalsErasure, queues: [] });
  const order = erasureOrder();
  const { places } = await erasure.apply(order);
  expect(await tablesHolding(db, words)).toEqual([]);
  expect(await tablesHolding(db, others)).toEqual(held);
  const left = await db('renewals').where({ customer_id: 'C-1' }).orderBy('policy_id');
  expect(left).toMatchObject([
    { id: watched.id, policy_id: 'P-77', notes: null },
    { id: since.id, policy_id: 'P-78', notes: 'P-78' },
  ]);
  expect((await db('import_rows').orderBy('line')).map(({ outcome }) => outcome)).toEqual([
    'refused',
    'refused',
    'create',
  ]);
  expect(places.map(({ place }) => place)).toEqual(
    expect.arrayContaining(['alert_outcomes', 'alerts', 'external_ids', 'import_rows', 'renewals', 'upstream_endings']),
  );
  expect(await erasure.apply(order)).toMatchObject({ changed: 0, next: null, places });
});
