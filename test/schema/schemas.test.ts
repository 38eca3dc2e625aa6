import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '@ops/service-kit/database';
import { schemaOf } from '@ops/service-kit/provision';
import { createTestDatabase, type TestDatabase } from '@ops/test-system/database';
import { listSchema } from './listing.ts';

// After a new migration: SCHEMAS=write npm run dev -- jest test/schema

type Service = keyof typeof schemaOf;
const services = Object.keys(schemaOf) as Service[];
const root = join(import.meta.dirname, '..', '..');

let database: TestDatabase;
let listed: Map<Service, Map<string, string>>;

beforeAll(async () => {
  database = await createTestDatabase();
  listed = new Map(await Promise.all(services.map(async (service) => [service, await listingOf(service)] as const)));
});
afterAll(() => database.drop());

async function listingOf(service: Service) {
  const db = openDatabase(database.urls[schemaOf[service]], { applicationName: 'schemas' });
  return listSchema(db).finally(() => db.destroy());
}

const isShared = (sql: string) => [...listed.values()].every((listing) => [...listing.values()].includes(sql));

async function compare(path: string, head: string, objects: string[]) {
  const text = [head, ...objects].join('\n');
  const file = join(root, path);
  if (process.env.SCHEMAS === 'write') await writeFile(file, text);
  expect(await readFile(file, 'utf8')).toBe(text);
}

test.each(services)('schema.sql of %s is what its migrations lead to', async (service) => {
  const own = [...(listed.get(service)?.values() ?? [])].filter((sql) => !isShared(sql));
  await compare(
    `services/${service}/schema.sql`,
    `-- The schema \`${schemaOf[service]}\` as its migrations leave it, beside what every service has (packages/service-kit/schema.sql).\n`,
    own,
  );
});

test('so is what every service has', async () => {
  const shared = [...(listed.get('notifier')?.values() ?? [])].filter(isShared);
  await compare(
    'packages/service-kit/schema.sql',
    '-- In the schema of every service, beside its own tables.\n',
    shared,
  );
});
