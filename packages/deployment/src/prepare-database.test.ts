import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLogger } from '@ops/service-kit/logger';
import { createEmptyDatabase, type EmptyDatabase } from '@ops/test-kit/database';
import pg from 'pg';
import { prepareDatabase } from './prepare-database.ts';

const logger = createLogger('test', 'silent');
let database: EmptyDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(() => database.drop());

const prepare = () =>
  prepareDatabase(
    {
      DATABASE_URL: database.adminUrl,
      COMMS_DATABASE_PASSWORD: 'c',
      RENEWALS_DATABASE_PASSWORD: 'r',
      INGEST_DATABASE_PASSWORD: 'i',
      NOTIFIER_DATABASE_PASSWORD: 'n',
      GATEWAY_DATABASE_PASSWORD: 'g',
    },
    logger,
  );

test('an empty database has all tables afterwards, each owned by the role of its schema; again changes nothing', async () => {
  await Promise.all([prepare(), prepare()]);
  const before = await tables();
  await prepare();
  expect(await tables()).toEqual(before);
  const services = { comms: 'communications', renewals: 'renewals', ingest: 'deliveries', notifier: 'sends' };
  for (const [schema, table] of Object.entries(services))
    for (const name of [table, 'outbox', 'idempotency_keys'])
      expect(before).toContainEqual({ schema, name, owner: `${database.name}_${schema}` });
});

async function tables() {
  const admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  try {
    const { rows } = await admin.query(
      `SELECT schemaname AS schema, tablename AS name, tableowner AS owner FROM pg_tables
       WHERE schemaname IN ('comms', 'renewals', 'ingest', 'notifier') ORDER BY 1, 2`,
    );
    return rows;
  } finally {
    await admin.end();
  }
}
