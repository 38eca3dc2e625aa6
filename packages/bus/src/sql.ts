import type { Knex } from 'knex';

type Scalar = string | number | boolean | null | Date | Buffer;
type Binding = Scalar | readonly Scalar[];

/** For `?` in their order, or for `:name`; a value that no `:name` asks for is passed over. */
type Bindings = readonly Binding[] | Readonly<Record<string, Binding>>;

/** Statements that stand whole as SQL. What a row is like is said where its columns are named; nothing checks it. */
export async function rows<Row>(db: Knex, sql: string, bindings?: Bindings): Promise<Row[]> {
  return (await ask<{ rows: Row[] }>(db, sql, bindings)).rows;
}

/** Undefined: there is none. */
export async function firstRow<Row>(db: Knex, sql: string, bindings?: Bindings): Promise<Row | undefined> {
  return (await rows<Row>(db, sql, bindings))[0];
}

/** Of a statement that always has one. */
export async function oneRow<Row>(db: Knex, sql: string, bindings?: Bindings): Promise<Row> {
  const row = await firstRow<Row>(db, sql, bindings);
  if (row === undefined) throw new Error('a statement that always has a row had none');
  return row;
}

/** How many rows it was about. */
export async function execute(db: Knex, sql: string, bindings?: Bindings): Promise<number> {
  return (await ask<{ rowCount: number | null }>(db, sql, bindings)).rowCount ?? 0;
}

/** knex's own type of a binding knows no array that is read-only or holds a null. */
const ask = <Result>(db: Knex, sql: string, bindings: Bindings | undefined) =>
  db.raw<Result>(sql, bindings as Knex.RawBinding[]);
