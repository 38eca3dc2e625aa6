import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createTestDatabase, type TestDatabase } from '../../test/database.ts';
import { lastRefreshLine } from './last-refresh-check.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.urls.renewals, { applicationName: 'doctor-test' });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const look = () => lastRefreshLine({ query: (sql) => db.raw(sql) });

async function finished(hoursAgo: number, status = 'COMPLETED'): Promise<void> {
  const at = new Date(Date.now() - hoursAgo * 3_600_000);
  const times = { started_at: at, updated_at: at, finished_at: at };
  await db('refresh_runs').insert({ id: randomUUID(), as_of: '2030-01-31', status, counts: '{}', ...times });
}

test('no night, a missed night and a good one', async () => {
  const fix = expect.stringContaining('NightMissed');
  expect(await look()).toMatchObject({ status: 'warning', said: 'none was completed yet', fix });
  await finished(30);
  await finished(1, 'FAILED');
  expect(await look()).toMatchObject({ status: 'warning', said: 'completed 30 hours ago', fix });
  await finished(5);
  expect(await look()).toMatchObject({ status: 'ok', said: 'completed 5 hours ago' });
});
