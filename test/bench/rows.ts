import type { Db } from '@ops/service-kit/database';

/** How many there are, or how many a message adds, by table. */
export type Rows = Record<string, number>;

export async function rowsOf(db: Db, schema: string): Promise<Rows> {
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

/** By which tables a message is kept; whatever stayed as it was is left out. */
export function rowsAdded(before: Rows, after: Rows, messages: number): Rows {
  const grown = Object.entries(after).map(([table, n]) => [table, (n - (before[table] ?? 0)) / messages] as const);
  return Object.fromEntries(grown.filter(([, n]) => n !== 0));
}

export const describeRows = (rows: Rows): string =>
  Object.entries(rows)
    .map(([table, n]) => `${table} ${n}`)
    .join(', ');

export const sameRows = (one: Rows, other: Rows): boolean => describeRows(one) === describeRows(other);
