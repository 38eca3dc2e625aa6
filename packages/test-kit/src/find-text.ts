import { oneRow, rows } from '@ops/bus/sql';
import type { Knex } from 'knex';

/**
 * The tables that hold this text anywhere in a row, in any schema the role may read; bytes and JSON included. For texts
 * of plain letters and digits, which no encoding of Postgres changes.
 */
export async function tablesHolding(db: Knex, text: string): Promise<string[]> {
  const tables = await rows<{ name: string }>(
    db,
    `SELECT c.oid::regclass::text AS name FROM pg_class c
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
       AND has_table_privilege(c.oid, 'SELECT')
     ORDER BY 1`,
  );
  const names = tables.map(({ name }) => name);
  const held = await Promise.all(names.map((name) => holds(db, name, text)));
  return names.filter((_, n) => held[n]);
}

async function holds(db: Knex, table: string, text: string): Promise<boolean> {
  const { held } = await oneRow<{ held: boolean }>(
    db,
    `SELECT EXISTS (SELECT FROM ${table} AS t WHERE strpos(CAST(t AS text), ?) > 0 OR strpos(CAST(t AS text), ?) > 0) AS held`,
    [text, Buffer.from(text).toString('hex')],
  );
  return held;
}
