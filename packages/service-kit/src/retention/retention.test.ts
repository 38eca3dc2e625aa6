import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createDeadLetters, redactedBody } from '@ops/bus/dead-letters';
import { RedactedError } from '@ops/bus/errors';
import { createOutbox } from '@ops/bus/outbox';
import type { RetentionOrder } from '@ops/contracts/internal-routes';
import { communicationType } from '@ops/contracts/resources/communication';
import { type RetentionSubject, retentionSubject } from '@ops/contracts/resources/retention';
import { daysBefore, retentionOrder, rowsByPlace } from '@ops/contracts/test/retention';
import { emptyTables } from '@ops/test-kit/empty-tables';
import fc from 'fast-check';
import { v7 as uuid } from 'uuid';
import { createProvisionedDatabase, type TestDatabase } from '../../test/database.ts';
import { type Db, openDatabase } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { sharedMigrations } from '../database/shared-migrations.ts';
import { createRetention, type RetentionPlace } from './retention.ts';
import { sharedPlaces } from './retention-places.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createProvisionedDatabase();
  db = openDatabase(database.urls.comms, { applicationName: 'kit-test' });
  await migrate(db, sharedMigrations);
  await db.raw('CREATE TABLE things (id int PRIMARY KEY, at timestamptz NOT NULL)');
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});
beforeEach(() => emptyTables(db, 'outbox', 'inbox', 'idempotency_keys', 'dead_letters', 'things'));

const asOf = new Date('2026-06-01T00:00:00Z');
const daysAgo = (days: number) => daysBefore(asOf, days);
const orderOf = (keep: Parameters<typeof retentionOrder>[1] = {}, dryRun = false) => retentionOrder(asOf, keep, dryRun);

const apply = (order: RetentionOrder, places: readonly RetentionPlace[] = sharedPlaces, mostPortions = 10) =>
  createRetention({ service: 'comms-service', db, places, mostPortions }).apply(order);

const event = (type: string, data: object) => JSON.stringify({ id: uuid(), type, data });
const letter = (body: string, age: number, replayedAge?: number) => ({
  id: uuid(),
  queue: 'comms-service:customer:work',
  event_id: uuid(),
  event_type: 'x',
  subject: 'C-1',
  body,
  attempts: 3,
  error: 'failed',
  failed_at: daysAgo(age),
  replayed_at: replayedAge === undefined ? null : daysAgo(replayedAge),
});

/** As the sealer leaves them, each in the moment it was written. */
const sealAll = (admin: Db) =>
  admin.raw(
    `INSERT INTO comms_audit.audit_seals (seq, audit_id, digest, previous, hash, at)
     SELECT row_number() OVER (ORDER BY at), id, '', '', '', at FROM comms_audit.audit`,
  );
const emptyAudit = (admin: Db) => emptyTables(admin, 'comms_audit.audit', 'comms_audit.audit_seals');

test('who changed what goes after its time, once it is sealed, with the values beside it, though the service may not remove it', async () => {
  const admin = openDatabase(database.adminUrl, { applicationName: 'kit-test' });
  const written = (subject_id: string, age: number) => ({
    id: uuid(),
    at: daysAgo(age),
    actor: 'a',
    role: 'staff',
    request_id: 'r',
    action: 'x',
    subject_kind: 'task',
    subject_id,
    digests: '[]',
  });
  const rows = [written('old', 4000), written('young', 2556)];
  await admin('comms_audit.audit').insert(rows);
  await db('audit_values').insert(rows.map(({ id }) => ({ audit_id: id, salt: 's', changes: '[]' })));
  expect(rowsByPlace(await apply(orderOf()))).toEqual({});
  await sealAll(admin);
  expect(rowsByPlace(await apply(orderOf({}, true)))).toEqual({ audit: 1 });
  expect(rowsByPlace(await apply(orderOf()))).toEqual({ audit: 1 });
  expect(await db('audit').join('audit_values', 'audit_id', 'id').pluck('subject_id')).toEqual(['young']);
  expect(rowsByPlace(await apply(orderOf()))).toEqual({});
  await emptyAudit(admin);
  await admin.destroy();
});

test('not even by the function that removes does anything go of who changed what that is younger than seven years', async () => {
  const admin = openDatabase(database.adminUrl, { applicationName: 'kit-test' });
  await admin.raw(
    `INSERT INTO comms_audit.audit (id, at, actor, role, request_id, action, subject_kind, subject_id, digests)
     SELECT gen_random_uuid(), now() - make_interval(days => age), 'a', 'staff', 'r', 'x', 'task', age::text, '[]'
     FROM unnest(ARRAY[31, 2556, 2558]) age`,
  );
  await sealAll(admin);
  const impatient = retentionOrder(new Date(), { AUDIT: 1 });
  expect(rowsByPlace(await apply({ ...impatient, dry_run: true }))).toEqual({ audit: 1 });
  await db.raw('SELECT remove_audit(ARRAY(SELECT id FROM audit))');
  expect(rowsByPlace(await apply(impatient))).toEqual({});
  expect(await db('audit').orderBy('at').pluck('subject_id')).toEqual(['2556', '31']);
  await emptyAudit(admin);
  await admin.destroy();
});

test('what nobody dealt with stays with whoever is on legal hold, and so does who changed what of theirs', async () => {
  const admin = openDatabase(database.adminUrl, { applicationName: 'kit-test' });
  await admin.raw(
    `INSERT INTO comms_audit.audit (id, at, actor, role, request_id, action, subject_kind, subject_id, customer_id, digests)
     VALUES (gen_random_uuid(), now() - interval '4000 days', 'a', 'staff', 'r', 'x', 'customer', 'C-1', 'C-1', '[]')`,
  );
  await sealAll(admin);
  await db('dead_letters').insert(letter(event('communication.send', { type: 'EMAIL' }), 3000));
  const order = retentionOrder(new Date(), {});
  expect(rowsByPlace(await apply({ ...order, held: ['C-1'] }))).toEqual({});
  expect(rowsByPlace(await apply({ ...order, held: ['C-2'] }))).toEqual({ audit: 1, dead_letters: 1 });
  await emptyAudit(admin);
  await admin.destroy();
});

test('published events go after their time; what still waits for the broker stays, however old', async () => {
  const row = (event_id: string, age: number, published: boolean) => ({
    event_id,
    type: 'x',
    event: '{}',
    created_at: daysAgo(age),
    published_at: published ? daysAgo(age) : null,
  });
  await db('outbox').insert([row('old', 31, true), row('young', 29, true), row('waiting', 400, false)]);
  expect(rowsByPlace(await apply(orderOf()))).toEqual({ outbox: 1 });
  expect((await db('outbox').orderBy('id')).map(({ event_id }) => event_id)).toEqual(['young', 'waiting']);
});

test('published events and kept answers go as early as the messages they quote', async () => {
  await db('outbox').insert({ event_id: 'e', type: 'x', event: '{}', published_at: daysAgo(5) });
  await db('idempotency_keys').insert({
    subject: 's',
    method: 'POST',
    path: '/',
    key: 'k',
    fingerprint: 'f',
    created_at: daysAgo(5),
  });
  await db('inbox').insert({ queue: 'q', event_id: 'e', received_at: daysAgo(5) });
  expect(rowsByPlace(await apply(orderOf({ SMS: 6 })))).toEqual({});
  expect(rowsByPlace(await apply(orderOf({ SMS: 4 })))).toEqual({ outbox: 1, idempotency_keys: 1 });
});

test('what a queue has taken is remembered for its time', async () => {
  await db('inbox').insert([
    { queue: 'q', event_id: 'old', received_at: daysAgo(31) },
    { queue: 'q', event_id: 'young', received_at: daysAgo(29) },
  ]);
  expect(rowsByPlace(await apply(orderOf()))).toEqual({ inbox: 1 });
  expect(await db('inbox')).toMatchObject([{ event_id: 'young' }]);
});

test('a waiting dead letter loses its words when its message has had its time, and stays known', async () => {
  const sms = letter(event('communication.queued', { type: 'SMS', body: 'Hello' }), 11);
  const email = letter(event('provider.message.received', { channel: 'EMAIL', body: 'x "type":"SMS" y' }), 11);
  const permit = letter(event('permit', { expiry_date: '2027-01-01', preferred_channel: 'SMS' }), 11);
  const broken = letter('"\\u0000 not even an event"', 11);
  await db('dead_letters').insert([sms, email, permit, broken]);
  expect(rowsByPlace(await apply(orderOf({ SMS: 10 })))).toEqual({ dead_letters: 1 });
  const kept = Object.fromEntries((await db('dead_letters')).map(({ id, body }) => [id, body]));
  expect(kept).toEqual({
    ...Object.fromEntries([email, permit, broken].map(({ id, body }) => [id, body])),
    [sms.id]: redactedBody,
  });
});

test('a dead letter that is of no type loses its words when nothing older is kept any more', async () => {
  await db('dead_letters').insert(letter('"not an event"', 40));
  const keep = { MESSAGING_APP: 30, EMAIL: 30, SMS: 30, CALL_LOG: 30 };
  expect(rowsByPlace(await apply(orderOf({ ...keep, INTERNAL_NOTE: 41 })))).toEqual({});
  expect(rowsByPlace(await apply(orderOf({ ...keep, INTERNAL_NOTE: 39 })))).toEqual({ dead_letters: 1 });
});

test('a dead letter without its words is not replayed', async () => {
  const gone = letter(redactedBody, 3000);
  await db('dead_letters').insert(gone);
  const letters = createDeadLetters(db, createOutbox('comms-service'));
  await expect(db.transaction((trx) => letters.replay(trx, gone.id))).rejects.toBeInstanceOf(RedactedError);
  expect(await db('outbox')).toEqual([]);
});

test('a replayed dead letter goes after its time, and earlier when its message has had its own', async () => {
  const body = event('communication.queued', { type: 'SMS' });
  const rows = [letter(body, 40, 31), letter(body, 40, 29), letter(body, 50, 2), letter(body, 45)];
  await db('dead_letters').insert(rows);
  expect(rowsByPlace(await apply(orderOf()))).toEqual({ replayed_dead_letters: 1 });
  expect(rowsByPlace(await apply(orderOf({ SMS: 48 })))).toEqual({ replayed_dead_letters: 1 });
  expect(rowsByPlace(await apply(orderOf({ SMS: 44 })))).toEqual({ dead_letters: 1 });
  expect((await db('dead_letters').orderBy('id')).map(({ id }) => id)).toEqual([rows[1]?.id, rows[3]?.id]);
});

const ages = fc.integer({ min: 0, max: 60 });
const times = fc.record(
  Object.fromEntries(retentionSubject.options.map((subject) => [subject, fc.integer({ min: 1, max: 60 })])),
) as fc.Arbitrary<Record<RetentionSubject, number>>;
const letters = fc.array(
  fc.tuple(fc.constantFrom(...communicationType.options, undefined), ages, fc.option(ages, { nil: undefined })),
  { maxLength: 12 },
);

test('whatever the policy: a dry run changes nothing, counts what the run removes, and a second run finds nothing', async () => {
  await fc.assert(
    fc.asyncProperty(times, letters, fc.array(ages, { maxLength: 6 }), async (keep, dead, published) => {
      await emptyTables(db, 'outbox', 'inbox', 'dead_letters');
      const rows = dead.map(([type, age, replayed]) => letter(event('x', type ? { type } : {}), age, replayed));
      if (rows.length > 0) await db('dead_letters').insert(rows);
      for (const [n, age] of published.entries()) {
        await db('outbox').insert({ event_id: String(n), type: 'x', event: '{}', published_at: daysAgo(age) });
        await db('inbox').insert({ queue: 'q', event_id: String(n), received_at: daysAgo(age) });
      }
      const promised = await apply(orderOf(keep, true));
      expect(await apply(orderOf(keep, true))).toEqual(promised);
      expect(await apply(orderOf(keep))).toEqual(promised);
      expect(rowsByPlace(await apply(orderOf(keep)))).toEqual({});
    }),
    { numRuns: 40 },
  );
});

const things = (portion: number, remove?: RetentionPlace['remove']): RetentionPlace => ({
  name: 'things',
  portion,
  overdue: ({ before }) => ({
    sql: 'SELECT id::text AS id FROM things WHERE at < CAST(:before AS timestamptz)',
    bindings: { before: before.SMS },
  }),
  remove: remove ?? (async (trx, ids) => void (await trx('things').whereIn('id', ids).delete())),
});
const fill = (n: number) =>
  db.raw('INSERT INTO things SELECT g, CAST(? AS timestamptz) FROM generate_series(1, ?) g', [daysAgo(3000), n]);

test('a call ends after some portions and says that there is more', async () => {
  await fill(25);
  const call = () => apply(orderOf(), [things(10)], 2);
  expect(await call()).toMatchObject({ complete: false, places: [{ rows: 20 }] });
  expect(await call()).toMatchObject({ complete: true, places: [{ rows: 5 }] });
  expect(await call()).toMatchObject({ complete: true, places: [{ rows: 0 }] });
});

test('what somebody is changing is left to the next run, and nobody waits', async () => {
  await fill(3);
  const somebody = await db.transaction();
  await somebody.raw('SELECT FROM things WHERE id = 2 FOR UPDATE');
  expect(await apply(orderOf(), [things(10)])).toMatchObject({ places: [{ rows: 2 }] });
  await somebody.rollback();
  expect(await apply(orderOf(), [things(10)])).toMatchObject({ places: [{ rows: 1 }] });
});

test('a place that fails is told, and holds none of the others up', async () => {
  await fill(3);
  const broken = things(10, () => Promise.reject(new Error('a bug')));
  await expect(apply(orderOf(), [broken, things(10)])).rejects.toThrow('a bug');
  expect(await db('things')).toEqual([]);
});
