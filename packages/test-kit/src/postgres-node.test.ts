import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPostgres } from '@ops/machine/postgres';
import pg from 'pg';
import { startPostgresNode, type TestPostgres } from './postgres-node.ts';

let node: TestPostgres;
beforeAll(async () => {
  node = await startPostgresNode();
});
afterAll(() => node.stop());

test('what was committed is there after it was killed, and after a restart', async () => {
  await query('CREATE TABLE kept (n int)');
  await query('INSERT INTO kept VALUES (1)');
  await node.kill();
  await node.start();
  await query('INSERT INTO kept VALUES (2)');
  await node.restart();
  expect(await query('SELECT n FROM kept ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
});

test('nobody gets in without the password', async () => {
  const client = new pg.Client({ connectionString: node.url.replace(/:[^:@]+@/, ':wrong@') });
  await expect(client.connect()).rejects.toThrow('password authentication failed');
});

test('one that does not start says why', async () => {
  const home = await mkdtemp(join(tmpdir(), 'ops-test-postgres-'));
  const options = { home, password: 'unused', log: () => undefined, settings: ['no_such_setting=1'] };
  await expect(startPostgres(options)).rejects.toThrow('no_such_setting');
  await rm(home, { recursive: true });
});

async function query(sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: node.url });
  await client.connect();
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}
