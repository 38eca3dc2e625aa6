import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { type PostgresPair, startPostgresPair, takesWrites } from './postgres-pair.ts';

let pair: PostgresPair;
beforeAll(async () => {
  pair = await startPostgresPair();
});
afterAll(() => pair?.stop());

test('what was committed is on the standby too, which takes over when the primary is killed', async () => {
  await query(pair.primary.url, 'CREATE TABLE kept (n int)');
  await query(pair.primary.url, 'INSERT INTO kept VALUES (1)');
  await eventually(async () => expect(await synchronous()).toEqual([{ sync_state: 'sync' }]));
  expect(await Promise.all([pair.primary, pair.standby].map(({ url }) => takesWrites(url)))).toEqual([true, false]);

  await pair.primary.kill();
  await pair.promote();
  expect(await takesWrites(pair.standby.url)).toBe(true);
  await query(pair.standby.url, 'INSERT INTO kept VALUES (2)');
  expect(await query(pair.standby.url, 'SELECT n FROM kept ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
});

const synchronous = () => query(pair.primary.url, 'SELECT sync_state FROM pg_stat_replication');

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}
