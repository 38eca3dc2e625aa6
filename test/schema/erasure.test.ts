import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ServiceName } from '@ops/contracts/routes';
import { openDatabase, rows } from '@ops/service-kit/database';
import { createErasure, type ErasurePlace } from '@ops/service-kit/erasure';
import { schemaOf } from '@ops/service-kit/provision';
import { sharedErasure, sharedHoldNobody } from '@ops/service-kit/shared-erasure';
import { createTestDatabase, type TestDatabase } from '@ops/test-system/database';
import * as comms from '../../services/comms-service/src/erasure-places.ts';
import * as notifier from '../../services/notifier/src/erasure-places.ts';
import * as renewals from '../../services/renewals-service/src/erasure-places.ts';
import * as ingest from '../../services/webhook-ingest/src/erasure-places.ts';

// A table or column that comes to hold words has to be named in the list of its service: as what an erasure takes, or as what holds
// nothing of a customer. Numbers, times, dates, flags and UUIDs are nobody's words.

type Holds = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The gateway keeps a sign-in, by the customer's id, for a day after its end, and nothing else of them. */
const lists: Record<ServiceName, { places: readonly ErasurePlace[]; holdsNobody: Holds }> = {
  'comms-service': { places: comms.commsErasure, holdsNobody: comms.holdsNobody },
  'renewals-service': { places: renewals.renewalsErasure, holdsNobody: renewals.holdsNobody },
  notifier: { places: notifier.notifierErasure, holdsNobody: notifier.holdsNobody },
  'webhook-ingest': { places: ingest.ingestErasure, holdsNobody: ingest.holdsNobody },
};
const services = Object.keys(lists) as ServiceName[];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

interface Column {
  table: string;
  column: string;
  plain: boolean;
}

/** Of the service's own schema, that of who changed what, and the bus. */
async function columnsOf(service: ServiceName): Promise<Column[]> {
  const db = openDatabase(database.adminUrl, { applicationName: 'erasure' });
  const schema = schemaOf[service];
  return rows<Column>(
    db,
    `SELECT CASE WHEN c.relnamespace = 'bus'::regnamespace THEN 'bus.' ELSE '' END || c.relname AS table, a.attname AS column,
       (a.atttypid::regtype::text = ANY (ARRAY['uuid', 'uuid[]', 'integer', 'integer[]', 'smallint', 'bigint', 'boolean', 'date',
          'xid8', 'timestamp with time zone', 'name'])) AS plain
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
       AND c.relnamespace::regnamespace::text IN (:schema, :audit, 'bus')
     ORDER BY 1, 2`,
    { schema, audit: `${schema}_audit` },
  ).finally(() => db.destroy());
}

/** Of graphile-worker's own tables all but the messages themselves is numbers and names of queues. */
const isTheBuss = ({ table, column }: Column) =>
  table.startsWith('bus._private') || (table === 'bus.migrations' && column !== '');

const coveredBy = ({ places, holdsNobody }: (typeof lists)['notifier'], { table, column }: Column) =>
  places.some((place) => place.table === table && (!place.blanks || column in place.blanks)) ||
  holdsNobody[table]?.[column] !== undefined;

const whole = (service: ServiceName) => ({
  places: [...lists[service].places, ...sharedErasure],
  holdsNobody: { ...lists[service].holdsNobody, ...sharedHoldNobody },
});

test.each(services)(
  '%s names every column that may hold words of a customer, or says what else it holds',
  async (service) => {
    const columns = (await columnsOf(service)).filter((one) => !one.plain && !isTheBuss(one));
    const forgotten = columns.filter((one) => !coveredBy(whole(service), one));
    expect(forgotten.map(({ table, column }) => `${table}.${column}`)).toEqual([]);
  },
);

test.each(services)('%s names no table and no column that there is not', async (service) => {
  const { places, holdsNobody } = whole(service);
  const there = new Set((await columnsOf(service)).flatMap(({ table, column }) => [table, `${table}.${column}`]));
  const named = [
    ...places.flatMap(({ table, blanks = {} }) => [
      table,
      ...Object.keys(blanks).map((column) => `${table}.${column}`),
    ]),
    ...Object.entries(holdsNobody).flatMap(([table, held]) => Object.keys(held).map((column) => `${table}.${column}`)),
  ];
  expect(named.filter((one) => !there.has(one))).toEqual([]);
});

test.each(services)('every statement of %s can be asked, and is by its own role', async (service) => {
  const db = openDatabase(database.urls[schemaOf[service]], { applicationName: 'erasure' });
  const erasure = createErasure({ service, db, places: whole(service).places, queues: ['a:b:c'] });
  const order = {
    erasure_id: '0190a000-0000-7000-8000-000000000000',
    erased_at: new Date().toISOString(),
    customer_ids: ['C-1'],
    addresses: [{ kind: 'phone' as const, value: '+41446681800' }],
    records: ['0190a000-0000-7000-8000-000000000001'],
    externals: ['wamid.1'],
    events: ['0190a000-0000-7000-8000-000000000002'],
    from: null,
  };
  const outcome = await erasure.apply(order).finally(() => db.destroy());
  expect(outcome).toMatchObject({ changed: 0, waits: 0, places: [], events: [], next: null });
});
