import { type Db, oneRow, rows } from '@ops/service-kit/database';

/** The schema of the connection's role as SQL: what is there now, whatever migrations led to it. Each object by its name. */
export async function listSchema(db: Db): Promise<Map<string, string>> {
  const odd = await rows<{ name: string }>(db, unlisted);
  if (odd.length > 0) throw new Error(`the listing knows nothing of ${odd.map(({ name }) => name).join(', ')}`);
  const { schema } = await oneRow<{ schema: string }>(db, 'SELECT current_schema() AS schema');
  const found = await rows<{ name: string; sql: string }>(db, [functions, tables, views].join(' UNION ALL '));
  return new Map(found.map(({ name, sql }) => [name, `${sql.replaceAll(`${schema}.`, '').trimEnd()};\n`]));
}

const OURS = 'current_schema()::regnamespace';

/** What a listing would pass over in silence. */
const unlisted = `
  SELECT relname AS name FROM pg_class
  WHERE relnamespace = ${OURS} AND relkind NOT IN ('r', 'v', 'i', 'S', 't')
  UNION ALL
  SELECT typname FROM pg_type
  WHERE typnamespace = ${OURS} AND typrelid = 0 AND typcategory <> 'A'`;

const functions = `
  (SELECT proname AS name, pg_get_functiondef(oid) AS sql FROM pg_proc
   WHERE pronamespace = ${OURS} ORDER BY proname COLLATE "C")`;

const columns = `
  SELECT attrelid, attnum AS place, concat_ws(' ', attname, format_type(atttypid, atttypmod),
    CASE WHEN attcollation <> 0 AND attcollation <> typcollation THEN 'COLLATE ' || quote_ident(collname) END,
    CASE WHEN attnotnull THEN 'NOT NULL' END,
    CASE WHEN attidentity = 'a' THEN 'GENERATED ALWAYS AS IDENTITY' END,
    CASE attgenerated WHEN 's' THEN 'GENERATED ALWAYS AS (' || pg_get_expr(adbin, adrelid) || ') STORED'
                      ELSE 'DEFAULT ' || pg_get_expr(adbin, adrelid) END) AS line
  FROM pg_attribute JOIN pg_type t ON t.oid = atttypid LEFT JOIN pg_collation l ON l.oid = attcollation
  LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE attnum > 0 AND NOT attisdropped`;

/** From Postgres 18 on NOT NULL is a constraint too; it stands at its column, and a trigger's with the triggers. */
const constraints = `
  SELECT conrelid AS attrelid, 2000 + row_number() OVER (PARTITION BY conrelid ORDER BY contype, conname COLLATE "C") AS place,
    'CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid) AS line
  FROM pg_constraint WHERE contype NOT IN ('n', 't')`;

const indexes = `
  SELECT string_agg(E';\\n' || replace(pg_get_indexdef(i.indexrelid), ' USING btree', ''), '' ORDER BY x.relname COLLATE "C")
  FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
  WHERE i.indrelid = c.oid AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid AND contype <> 'f')`;

const triggers = `
  SELECT string_agg(E';\\n' || pg_get_triggerdef(oid), '' ORDER BY tgname COLLATE "C")
  FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal`;

const tables = `
  (SELECT relname AS name, 'CREATE ' || CASE relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END || 'TABLE ' || relname || E' (\\n  ' ||
    (SELECT string_agg(line, E',\\n  ' ORDER BY place) FROM (${columns} UNION ALL ${constraints}) lines WHERE attrelid = c.oid) ||
    E'\\n)' || coalesce((${indexes}), '') || coalesce((${triggers}), '') AS sql
  FROM pg_class c WHERE relnamespace = ${OURS} AND relkind = 'r' ORDER BY relname COLLATE "C")`;

/** Without the aliases of its tables, which one Postgres adds everywhere and another only where they are needed. */
const views = `
  (SELECT relname AS name,
    'CREATE VIEW ' || relname || E' AS\\n' || regexp_replace(rtrim(pg_get_viewdef(oid), ';'), '\\m[a-z]\\.', '', 'g') AS sql
  FROM pg_class WHERE relnamespace = ${OURS} AND relkind = 'v' ORDER BY relname COLLATE "C")`;
