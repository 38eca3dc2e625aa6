import type { Db } from '@ops/service-kit/database';

/** How many there are, or how many a message adds, by table. */
export type Rows = Record<string, number>;

export type Counted = Partial<Record<'ingest' | 'comms', Db>>;

/** Of these schemas, each by its own role. */
export async function rowsOf(schemas: Counted): Promise<Rows> {
  const counted = Object.entries(schemas).map(([schema, db]) => rowsOfSchema(db, schema));
  return Object.assign({}, ...(await Promise.all(counted)));
}

async function rowsOfSchema(db: Db, schema: string): Promise<Rows> {
  const tables: { name: string }[] = await db('pg_tables')
    .where({ schemaname: schema })
    .orderBy('tablename')
    .select({ name: 'tablename' });
  const counted = tables.map(async ({ name }) => {
    const [found] = await db.withSchema(schema).from(name).count({ n: '*' });
    return [`${schema}.${name}`, Number(found?.n)];
  });
  return Object.fromEntries(await Promise.all(counted));
}

/** Of a customer and not of a message: how many there are for each depends on how many messages came. */
const ofCustomers = new Set(['comms.attention']);

/** By which tables one of so many is kept; whatever stayed as it was is left out. */
export function rowsAdded(before: Rows, after: Rows, count: number): Rows {
  const grown = Object.entries(after).map(([table, n]) => [table, (n - (before[table] ?? 0)) / count] as const);
  return Object.fromEntries(grown.filter(([table, n]) => n !== 0 && !ofCustomers.has(table)));
}

const describeRows = (rows: Rows): string =>
  Object.entries(rows)
    .map(([table, n]) => `${table} ${Number(n.toFixed(2))}`)
    .join(', ');

/** Neither may leave out what the other writes. Answers what both wrote, in words. */
export function sameRows(system: Rows, floor: Rows): string {
  const [ours, bare] = [describeRows(system), describeRows(floor)];
  if (ours !== bare) throw new Error(`the floor wrote other rows than the system: ${bare}, beside ${ours}`);
  return ours;
}
