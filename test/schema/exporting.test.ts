import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { exportLine } from '@ops/contracts/internal-routes';
import type { ServiceName } from '@ops/contracts/routes';
import { openDatabase, rows } from '@ops/service-kit/database';
import { createExporting, type ExportedKind } from '@ops/service-kit/exporting';
import { schemaOf } from '@ops/service-kit/provision';
import { sharedKinds, sharedUntold } from '@ops/service-kit/shared-kinds';
import { createTestDatabase, type TestDatabase } from '@ops/test-system/database';
import { commsKinds, commsUntold } from '../../services/comms-service/src/export-places.ts';
import { notifierKinds, notifierUntold } from '../../services/notifier/src/export-places.ts';
import { renewalsKinds, renewalsUntold } from '../../services/renewals-service/src/export-places.ts';
import { ingestKinds, ingestUntold } from '../../services/webhook-ingest/src/export-places.ts';

// A table that comes to hold something of a customer has to be named in the list of its service: as what is told of them, or as what
// is not, with the reason.

type Untold = Readonly<Record<string, string>>;

const lists: Record<ServiceName, { kinds: readonly ExportedKind[]; untold: Untold }> = {
  'comms-service': { kinds: commsKinds, untold: commsUntold },
  'renewals-service': { kinds: renewalsKinds, untold: renewalsUntold },
  notifier: { kinds: notifierKinds, untold: notifierUntold },
  'webhook-ingest': { kinds: ingestKinds, untold: ingestUntold },
};
const services = Object.keys(lists) as ServiceName[];
const whole = (service: ServiceName) => ({
  kinds: [...lists[service].kinds, ...sharedKinds],
  untold: { ...lists[service].untold, ...sharedUntold },
});

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function tablesOf(service: ServiceName): Promise<string[]> {
  const db = openDatabase(database.adminUrl, { applicationName: 'exporting' });
  const schema = schemaOf[service];
  const found = await rows<{ name: string }>(
    db,
    `SELECT relname AS name FROM pg_class
     WHERE relkind IN ('r', 'p') AND relnamespace::regnamespace::text IN (:schema, :audit)`,
    { schema, audit: `${schema}_audit` },
  ).finally(() => db.destroy());
  return found.map(({ name }) => name).sort();
}

test.each(services)('%s tells of each of its tables, or says why it does not', async (service) => {
  const { kinds, untold } = whole(service);
  expect([...kinds.map(({ table }) => table), ...Object.keys(untold)].sort()).toEqual(await tablesOf(service));
  expect(new Set(kinds.map(({ kind }) => kind)).size).toBe(kinds.length);
});

test.each(services)('every statement of %s can be asked, and is by its own role', async (service) => {
  const db = openDatabase(database.urls[schemaOf[service]], { applicationName: 'exporting' });
  const { kinds } = whole(service);
  const order = { customer_ids: ['C-1'], records: ['0190a000-0000-7000-8000-000000000001'], externals: ['wamid.1'] };
  const said: string[] = [];
  for await (const lines of createExporting(db, kinds).part(order)) said.push(...lines.trimEnd().split('\n'));
  await db.destroy();
  expect(said.map((line) => exportLine.parse(JSON.parse(line)))).toEqual([
    ...kinds.map(({ kind, title }) => ({ kind, title })),
    { end: true },
  ]);
});
