import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createOutbox } from '@ops/bus/outbox';
import { addDays } from '@ops/contracts/dates';
import type { EventData } from '@ops/contracts/events';
import { serviceNames } from '@ops/contracts/routes';
import { prepareDatabase } from '@ops/deployment/prepare-database';
import { type Db, inTransaction, openDatabase, rows } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { provision, schemaOf } from '@ops/service-kit/provision';
import { uuidv7 } from '@ops/test-kit/builders';
import { createEmptyDatabase, type EmptyDatabase } from '@ops/test-kit/database';
import { createTestDatabase } from '@ops/test-system/database';
import type { Deps } from '../../services/renewals-service/src/deps.ts';
import { preview, refresh } from '../../services/renewals-service/src/refresh/refresh-service.ts';
import { createRefresher } from '../../services/renewals-service/src/refresh/refresh-worker.ts';
import { followCustomers } from '../../services/renewals-service/src/renewals/customer-agent-service.ts';
import { patchRenewal } from '../../services/renewals-service/src/renewals/renewal-service.ts';
import { listSchema } from './listing.ts';

// `before/` holds the database of the last version that had many migrations for each owner, filled with demo data, an import of
// each kind and messages in and out: `pg_dump --inserts` of each schema.

const schemas = serviceNames.map((name) => schemaOf[name]);
const password = 'demo';
let empty: EmptyDatabase;
let dbs: Db[];

beforeEach(async () => {
  empty = await createEmptyDatabase();
  const passwords = Object.fromEntries([...schemas, 'gateway'].map((name) => [name, password]));
  const urls = await provision(empty.adminUrl, passwords);
  dbs = schemas.map((schema) => openDatabase(urls[schema], { applicationName: 'before' }));
  for (const [n, schema] of schemas.entries()) await restore(schema, dbs[n] as Db);
});
afterEach(async () => {
  await Promise.all(dbs.map((db) => db.destroy()));
  await empty.drop();
});

async function restore(schema: string, db: Db) {
  const dump = gunzipSync(await readFile(join(import.meta.dirname, 'before', `${schema}.sql.gz`))).toString();
  const connection = await db.client.acquireConnection();
  try {
    await connection.query(`${dump}; RESET ALL`);
  } finally {
    await db.client.releaseConnection(connection);
  }
}

const upgrade = () =>
  prepareDatabase(
    {
      DATABASE_URL: empty.adminUrl,
      COMMS_DATABASE_PASSWORD: password,
      RENEWALS_DATABASE_PASSWORD: password,
      INGEST_DATABASE_PASSWORD: password,
      NOTIFIER_DATABASE_PASSWORD: password,
      GATEWAY_DATABASE_PASSWORD: password,
    },
    createLogger('before', 'silent'),
  );

test('what is in it stays, also for the version before, and its tables come to be those of an empty database', async () => {
  const tables = await Promise.all(dbs.map(tablesOf));
  const count = () => Promise.all(dbs.map((db, n) => counts(db, tables[n] as string[])));
  const before = await count();
  await upgrade();
  await upgrade();
  expect(await count()).toEqual(before);
  expect(await Promise.all(dbs.map(listSchema))).toEqual(await listingsOfNew());
});

async function tablesOf(db: Db): Promise<string[]> {
  const tables = await rows<{ name: string }>(
    db,
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'migrations'`,
  );
  return tables.map(({ name }) => name);
}

async function counts(db: Db, tables: readonly string[]) {
  const counted = tables.map(async (table) => [table, (await db(table).count().first())?.count] as const);
  return Object.fromEntries(await Promise.all(counted));
}

async function listingsOfNew() {
  const database = await createTestDatabase();
  const news = schemas.map((schema) => openDatabase(database.urls[schema], { applicationName: 'new' }));
  const listings = await Promise.all(news.map(listSchema));
  await Promise.all(news.map((db) => db.destroy()));
  await database.drop();
  return listings;
}

test('what became of the messages of alerts by then is known, and what failed long ago is left to a task', async () => {
  const notifier = dbs[schemas.indexOf(schemaOf.notifier)] as Db;
  const [now, old] = [new Date(), new Date(Date.now() - 10 * 86_400_000)];
  const messages = [
    ['delivered', 'MESSAGING_APP', 'DELIVERED', old],
    ['unconfirmed', 'MESSAGING_APP', 'SENT', old],
    ['just sent', 'MESSAGING_APP', 'SENT', now],
    ['mailed', 'EMAIL', 'SENT', old],
    ['failed', 'EMAIL', 'FAILED', old],
    ['of another date', 'EMAIL', 'FAILED', old],
  ] as const;
  for (const [customer_id, channel, status, at] of messages) {
    const [renewal_id, id] = [uuidv7(), uuidv7()];
    const due_date = '2030-01-31';
    const renewal = { renewal_id, customer_id, status: 'UPCOMING', reminders: 'on', version: 1 };
    await notifier('followed_renewals').insert({ ...renewal, due_date });
    const alerted = customer_id === 'of another date' ? '2029-01-31' : due_date;
    const action = { id, renewal_id, customer_id, channel, due_date: alerted, rung: '30', outcome: 'planned' };
    await notifier('alert_actions').insert({ ...action, carried_out: true, decided_at: at });
    const send = {
      id: uuidv7(),
      communication_id: id,
      attempt: 1,
      customer_id,
      type: channel,
      provider: 'any',
      status,
    };
    await notifier('deliveries').insert({ ...send, trace: '{}', due_at: at, next_try_at: at, created_at: at });
  }
  await upgrade();
  const known = await rows<{ story: string }>(
    notifier,
    `SELECT concat_ws(' ', customer_id || ':', heard ->> 'status', CASE WHEN given_up_at IS NOT NULL THEN 'given up' END,
              CASE WHEN look_again_at <= now() THEN 'look' WHEN look_again_at IS NOT NULL THEN 'later' END) AS story
     FROM alert_actions WHERE customer_id = ANY (CAST(:ids AS text[])) ORDER BY id`,
    { ids: messages.map(([id]) => id) },
  );
  expect(known.map(({ story }) => story)).toEqual([
    'delivered: DELIVERED',
    'unconfirmed: SENT given up look',
    'just sent: SENT later',
    'mailed: SENT',
    'failed: FAILED given up look',
    'of another date:',
  ]);
});

test('of messages that nobody answered, the old ones leave nobody waiting', async () => {
  const comms = dbs[schemas.indexOf('comms')] as Db;
  const days = (ago: number) => new Date(Date.now() - ago * 86_400_000);
  const customer = { name: 'Demo', name_folded: 'demo', do_not_contact: false, version: 1 };
  const message = { type: 'SMS', direction: 'INBOUND', body: 'Hello', unread: false, status: 'RECEIVED' };
  for (const id of ['thanked', 'asks', 'asks again']) {
    await comms('customers').insert({ ...customer, id, created_at: days(90), updated_at: days(90) });
    for (const ago of { thanked: [60, 31], asks: [29, 1], 'asks again': [60, 2] }[id] as number[])
      await comms('communications').insert({
        ...message,
        id: uuidv7(),
        customer_id: id,
        occurred_at: days(ago),
        created_at: days(ago),
      });
  }
  await upgrade();
  const ages = () =>
    rows<{ customer_id: string; days: number | null; is_last: boolean }>(
      comms,
      `SELECT a.customer_id, extract(day FROM now() - a.waiting_since)::int AS days, a.message_id = c.id AS is_last
       FROM attention a JOIN LATERAL (SELECT c.id FROM communications c WHERE c.customer_id = a.customer_id
                                      ORDER BY c.occurred_at DESC LIMIT 1) c ON true
       WHERE a.customer_id IN ('thanked', 'asks', 'asks again') ORDER BY 1`,
    );
  const wanted = [
    { customer_id: 'asks', days: 29, is_last: true },
    { customer_id: 'asks again', days: 2, is_last: true },
    { customer_id: 'thanked', days: null, is_last: null },
  ];
  expect(await ages()).toEqual(wanted);
  await comms.raw(`SELECT attend(customer_id) FROM attention`);
  expect(await ages()).toEqual(wanted);
});

test.each([
  ['one that is older', 'DELETE FROM migrations WHERE name = :last'],
  ['one that went another way', `UPDATE migrations SET checksum = 'other' WHERE name = :last`],
])('%s is refused, and nothing of it is changed', async (_what, change) => {
  const [comms] = dbs as [Db];
  await comms.raw(change, { last: 'comms-service/010_chosen_template.sql' });
  const before = await comms('migrations').orderBy('name');
  await expect(upgrade()).rejects.toThrow('start that version once, then this one');
  expect(await comms('migrations').orderBy('name')).toEqual(before);
});

const today = '2030-06-03';

const serviceOn = (date: string): Deps => ({
  outbox: createOutbox('renewals-service'),
  now: () => new Date(`${date}T02:00:00Z`),
  today: () => date,
  dateAt: (moment) => moment.toISOString().slice(0, 10),
  customers: { cards: async () => [] },
  agents: { known: async (ids) => [...ids] },
});

/** What the refresh of that day tells of alerts. */
async function toldOn(db: Db, date: string) {
  await db('outbox').delete();
  const logger = createLogger('before', 'silent');
  const refresher = createRefresher({ ...serviceOn(date), db, logger, committed: () => {}, batch: 100 });
  expect(await refresh(refresher, { started_by: null })).toMatchObject({
    status: 'COMPLETED',
    counts: { set_aside: 0 },
  });
  const told: { event: { type: string; data: EventData<'renewal.outreach'> } }[] = await db('outbox').select('event');
  return told.map(({ event }) => event);
}

describe('renewals of which nobody was told', () => {
  const inDays = (days: number) => addDays(today, days);
  const passedOver = (daysUntilDue: number) =>
    [90, 60, 30, 14, 7, -1]
      .filter((days) => daysUntilDue <= days)
      .map((days) => ({ rung: days < 0 ? 'OVERDUE' : `${days}`, state: 'SUPERSEDED', days_until_due: daysUntilDue }));

  /** As an import left it, or completing the one before, or moving its date. */
  async function silenced(db: Db, daysUntilDue: number): Promise<string> {
    const [id, due_date, at] = [uuidv7(), inDays(daysUntilDue), new Date('2030-06-01T12:00:00Z')];
    const times = { created_on: '2030-06-01', created_at: at, updated_at: at };
    const row = { id, customer_id: 'C-1', service_type: 'WORK_PERMIT', due_date, anchor_day: 1, status: 'UPCOMING' };
    await db('renewals').insert({ ...row, ...times, next_alert_on: null });
    const alerts = passedOver(daysUntilDue).map((alert) => ({ ...alert, renewal_id: id, due_date, decided_at: at }));
    await db('alerts').insert(alerts);
    return id;
  }

  /** What the refresh of that day fires of these. */
  const alertsOf = async (db: Db, date: string, ids: readonly string[]) =>
    (await toldOn(db, date))
      .filter(({ type, data }) => type === 'RENEWAL_TRIGGERED' && ids.includes(data.renewal_id))
      .map(({ data }) => [ids.indexOf(data.renewal_id), data.rung, data.silent])
      .sort();

  test('fire silently at the first refresh and once, also when their date is moved before, or the version before runs on', async () => {
    const db = dbs[schemas.indexOf('renewals')] as Db;
    const ids = [];
    for (const days of [5, -10, 4, 6, 25]) ids.push(await silenced(db, days));
    const [near, over, moved, heard] = ids as [string, string, string, string];
    // Its date was moved by a day, and somebody knows.
    const fired = { rung: '7', state: 'FIRED', days_until_due: 5, run_id: uuidv7(), decided_at: new Date() };
    await db('alerts').insert({ ...fired, renewal_id: heard, due_date: inDays(5) });
    await upgrade();

    expect(await db('renewals').where({ silenced: true }).orderBy('id').pluck('id')).toEqual([near, over, moved]);
    await db('renewals').where({ id: over }).update({ next_alert_on: null, status: 'OVERDUE' });
    const service = serviceOn(today);
    await inTransaction(db, (trx) => patchRenewal(service, trx, moved, { due_date: inDays(12) }, undefined));
    const { data } = await preview(db, today, { limit: 200 });
    expect(data.filter(({ renewal_id }) => renewal_id === near)).toMatchObject([
      { fires: '7', because: 'reached_silently' },
    ]);

    const silently = [
      [0, '7', true],
      [1, 'OVERDUE', true],
      [2, '14', true],
    ];
    expect(await alertsOf(db, today, ids)).toEqual(silently);
    expect(await alertsOf(db, today, ids)).toEqual([]);
    expect(await alertsOf(db, inDays(6), ids)).toEqual([
      [0, 'OVERDUE', false],
      [2, '7', false],
    ]);
  });
});

test('a renewal whose alert met a customer whom nobody knew is told of once somebody does', async () => {
  const db = dbs[schemas.indexOf('renewals')] as Db;
  const due_date = addDays(today, 50);
  const [id, told, over] = [uuidv7(), uuidv7(), uuidv7()];
  const at = new Date('2030-05-24T02:00:00Z');
  const code = 'unknown_customer';
  for (const renewal_id of [id, told, over]) {
    const times = { created_on: '2030-05-01', created_at: at, updated_at: at, due_date, anchor_day: 23 };
    const row = { id: renewal_id, customer_id: `C-${renewal_id}`, service_type: 'WORK_PERMIT', ...times };
    const closed = { status: 'CANCELLED', closed_at: at, closed_from: 'UPCOMING', next_alert_on: null };
    const open = { status: 'UPCOMING', next_alert_on: addDays(due_date, -30) };
    await db('renewals').insert({ ...row, ...(renewal_id === over ? closed : open) });
    const key = { renewal_id, due_date, rung: '60' };
    await db('alerts').insert({ ...key, state: 'FIRED', days_until_due: 60, run_id: uuidv7(), decided_at: at });
    const outcome = { ...key, channel: 'EMAIL', outcome: 'not_sent', reason: { code, message: 'Nobody knew them' } };
    await db('alert_outcomes').insert({ ...outcome, occurred_at: at, told_id: uuidv7() });
  }
  // One about the date before, and since then one that reached them.
  const since = { renewal_id: told, due_date: addDays(due_date, 1), rung: '60', state: 'FIRED', days_until_due: 51 };
  await db('alerts').insert({ ...since, run_id: uuidv7(), decided_at: new Date('2030-06-02T02:00:00Z') });
  await upgrade();
  const noted = async () =>
    (await db('renewals').whereIn('id', [id, told, over])).map((one) => [one.id, one.known_after_alert]);
  expect(Object.fromEntries(await noted())).toEqual({ [id]: false, [told]: null, [over]: null });

  const toldOf = async (date: string) =>
    (await toldOn(db, date)).filter(({ data }) => data.renewal_id === id).map(({ type, data }) => [type, data.step]);
  expect(await toldOf(today)).toEqual([]);
  const described = { customer_id: `C-${id}`, assigned_agent: null, version: 1 };
  await inTransaction(db, (trx) => followCustomers(serviceOn(today), trx, { facts: [described], merges: [] }));
  expect(await toldOf(today)).toEqual([['renewal.outreach', 'customer_known']]);

  // Had somebody done so before the upgrade, the next refresh would tell them all the same.
  await db('alerts').where({ step: 'customer_known' }).delete();
  const migration = new URL('../../services/renewals-service/migrations/012_known_since.sql', import.meta.url);
  await db.raw(await readFile(migration, 'utf8'));
  expect(await toldOf(addDays(today, 1))).toEqual([['renewal.outreach', 'customer_known']]);
});
