import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { startPostgresNode, type TestPostgres } from './postgres-node.ts';

let node: TestPostgres;
beforeAll(async () => {
  node = await startPostgresNode();
});
afterAll(() => node.stop());

test('what was committed is there after it was killed, and after a restart', async () => {
  await query('create table kept (n int)');
  await query('insert into kept values (1)');
  await node.kill();
  await node.start();
  await query('insert into kept values (2)');
  await node.restart();
  expect(await query('select n from kept order by n')).toEqual([{ n: 1 }, { n: 2 }]);
});

test('nobody gets in without the password', async () => {
  const client = new pg.Client({ connectionString: node.url.replace(/:[^:@]+@/, ':wrong@') });
  await expect(client.connect()).rejects.toThrow('password authentication failed');
});

async function query(sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: node.url });
  await client.connect();
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}
