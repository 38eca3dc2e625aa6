import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ProcessName, serviceNames } from '@ops/contracts/routes';
import { type Db, openDatabase, rows } from '@ops/service-kit/database';
import { schemaOf } from '@ops/service-kit/provision';
import { createTestDatabase, type TestDatabase } from '@ops/test-system/database';
import { listSchema } from './listing.ts';

// After a new migration: SCHEMAS=write npm run dev -- jest test/schema

const names = Object.keys(schemaOf) as ProcessName[];
const root = join(import.meta.dirname, '..', '..');

let database: TestDatabase;
let listed: Map<ProcessName, Map<string, string>>;

beforeAll(async () => {
  database = await createTestDatabase();
  listed = new Map(await Promise.all(names.map(async (name) => [name, await listingOf(name)] as const)));
});
afterAll(() => database.drop());

async function inSchemaOf<T>(name: ProcessName, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase(database.urls[schemaOf[name]], { applicationName: 'schemas' });
  return work(db).finally(() => db.destroy());
}

const listingOf = (name: ProcessName) => inSchemaOf(name, listSchema);

const isShared = (sql: string) => serviceNames.every((name) => [...(listed.get(name)?.values() ?? [])].includes(sql));

async function compare(path: string, head: string, objects: string[]) {
  const text = [head, ...objects].join('\n');
  const file = join(root, path);
  if (process.env.SCHEMAS === 'write') await writeFile(file, text);
  expect(await readFile(file, 'utf8')).toBe(text);
}

test.each(serviceNames)('schema.sql of %s is what its migrations lead to', async (service) => {
  const own = [...(listed.get(service)?.values() ?? [])].filter((sql) => !isShared(sql));
  await compare(
    `services/${service}/schema.sql`,
    `-- The schema \`${schemaOf[service]}\` as its migrations leave it, beside what every service has (packages/service-kit/schema.sql).\n`,
    own,
  );
});

test('so is that of the gateway, which has nothing of what every service has', async () => {
  const head = '-- The schema `gateway` as its migrations leave it.\n';
  await compare('gateway/schema.sql', head, [...(listed.get('gateway')?.values() ?? [])]);
});

test('so is what every service has', async () => {
  const shared = [...(listed.get('notifier')?.values() ?? [])].filter(isShared);
  await compare(
    'packages/service-kit/schema.sql',
    '-- In the schema of every service, beside its own tables.\n',
    shared,
  );
});

/** No row of these ever goes. */
const kept = ['customers', 'proposals'];

/** It is asked for each row that goes from the table it points to: without an index all of its own is read each time. */
test.each(serviceNames)('what of %s points to a row that goes is found by an index', async (service) => {
  const unfound = await inSchemaOf(service, (db) =>
    rows<{ name: string }>(
      db,
      `SELECT c.conname AS name
       FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
       WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace
         AND c.confrelid <> ALL (CAST(:kept AS regclass[])) AND NOT EXISTS (
         SELECT FROM pg_index i
         WHERE i.indrelid = c.conrelid AND i.indnkeyatts >= cardinality(c.conkey)
           AND (CAST(i.indkey AS int2[]))[0:cardinality(c.conkey) - 1] @> c.conkey
           AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname)))
       ORDER BY name`,
      { kept: kept.filter((table) => listed.get(service)?.has(table)) },
    ),
  );
  expect(unfound).toEqual([]);
});
