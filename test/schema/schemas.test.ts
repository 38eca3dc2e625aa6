import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ProcessName, serviceNames } from '@ops/contracts/routes';
import { openDatabase } from '@ops/service-kit/database';
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

async function listingOf(name: ProcessName) {
  const db = openDatabase(database.urls[schemaOf[name]], { applicationName: 'schemas' });
  return listSchema(db).finally(() => db.destroy());
}

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
