import {
  type CsvImport,
  csvImport,
  type ImportCounts,
  type ImportForecast,
  type ImportRow,
  type RenewalImportQuery,
} from '@ops/contracts/resources/import';
import type { Acting } from '@ops/service-kit/auditing';
import type { Db, Trx } from '@ops/service-kit/database';
import type { z } from 'zod';
import { fits, type Layout, sentCells, sentColumns } from './csv-layout.ts';
import type { CsvRecord, ReadTo } from './csv-records.ts';
import { lostCharacter } from './csv-text.ts';
import { contentOf } from './csv-writer.ts';

export type RowError = ImportRow['errors'][number];

/** What a row asks for, as things stand; or what was done for it. */
export type Verdict =
  | { outcome: 'create'; id: string | null; kept?: string[] }
  | { outcome: 'change' | 'unchanged'; id: string; kept?: string[] }
  | { outcome: 'refused'; errors: RowError[] };

/** A row that would be taken in; null: by a record of its own. */
export interface Foreseen<Row> {
  row: Row;
  id: string | null;
}

export const refusedFor = (column: string, message: string): Verdict => ({
  outcome: 'refused',
  errors: [{ column, message }],
});

/** What is asked for with a file besides its name; the kind says what it means. */
export type ImportOptions = Partial<Pick<RenewalImportQuery, 'seed_alerts'>>;

type RowSchema = z.ZodObject<Record<string, z.ZodType>>;

/** What is imported: how a row reads, and what it does. Both are asked in portions, and answer in their order. */
export interface ImportKind<Row> {
  /** The event that has an import gone on with, which the service publishes and hears itself. */
  continues: 'customer_import.continue' | 'renewal_import.continue';
  /** Its columns, each of which reads a cell; what may be left out is no cell at all. */
  row: RowSchema & z.ZodType<Row>;
  /** Rows as they are compared, where what they name is known by several names. */
  named?(db: Db, rows: readonly Row[]): Promise<Row[]>;
  /** Two rows of a file that are about the same have the same. */
  keyOf(row: Row): string;
  /** What would be done for these. */
  foresee(trx: Trx, rows: readonly Row[], options: ImportOptions): Promise<Verdict[]>;
  /** What rows that would be taken in lead to, added to what those before them do. */
  forecast?(
    db: Db,
    rows: readonly Foreseen<Row>[],
    options: ImportOptions,
    before: ImportForecast | null,
  ): Promise<ImportForecast>;
  /** Does it, unless there is nothing to be done any more. */
  take(trx: Trx, rows: readonly Row[], options: ImportOptions): Promise<Verdict[]>;
  /** Who deals with these records today, by their ids; of one that is not there, or nobody's, nobody does. */
  responsible(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
}

export const columnsOf = ({ shape }: RowSchema) => ({
  known: Object.keys(shape),
  required: Object.keys(shape).filter((column) => !shape[column]?.safeParse(undefined).success),
});

/** An import as it is stored. */
export interface StoredImport extends CsvImport {
  options: ImportOptions;
  layout: Layout;
  /** Its good rows are taken in as soon as it was looked through. */
  apply: boolean;
  /** Null: by the version before, which kept the file as it was sent. */
  read_to: ReadTo | null;
  /** Who has the rows taken in; null: by the version before, which did not remember. */
  acting: Acting | null;
}

export const toImport = (stored: StoredImport): CsvImport => csvImport.parse(stored);

export const nothingYet: ImportCounts = { rows: 0, to_create: 0, to_change: 0, unchanged: 0, refused: 0, done: 0 };

/** A row as it is stored, as far as others are told of it. */
export type ListedRow = Omit<ImportRow, 'responsible_agent'>;

/** A row as it is stored. */
export interface StoredRow extends ListedRow {
  /** As they stood in the file. */
  cells: string[];
}

/** A stored row with what is decided when it is read. */
export type Told<Row extends ListedRow> = Row & Pick<ImportRow, 'responsible_agent'>;

export async function toldToday<Row extends ListedRow>(
  { responsible }: Pick<ImportKind<never>, 'responsible'>,
  db: Db,
  rows: readonly Row[],
): Promise<Told<Row>[]> {
  const of = await responsible(
    db,
    rows.flatMap(({ id }) => id ?? []),
  );
  return rows.map((row) => ({ ...row, responsible_agent: of.get(row.id ?? '') ?? null }));
}

const counted = { create: 'to_create', change: 'to_change', unchanged: 'unchanged', refused: 'refused' } as const;

export function withChecked(counts: ImportCounts, outcomes: readonly Verdict['outcome'][]): ImportCounts {
  const sum = { ...counts, rows: counts.rows + outcomes.length };
  for (const outcome of outcomes) sum[counted[outcome]] += 1;
  return sum;
}

const mostRows = 250_000;
const mostRefused = 5_000;

/** Why no more of a file is looked through: rows cost a few bytes to send, and much more to keep. */
export function tooMany({ rows, refused }: Pick<ImportCounts, 'rows' | 'refused'>): string | undefined {
  if (rows > mostRows) return `The file has more than ${mostRows.toLocaleString('en')} rows; send it in parts`;
  if (refused <= mostRefused) return undefined;
  return (
    `More than ${mostRefused.toLocaleString('en')} rows are refused, and the rest was not looked through: ` +
    'correct what they have in common and send the file again'
  );
}

/** What was foreseen otherwise than it came is counted as it came. */
export function withTaken(
  counts: ImportCounts,
  taken: readonly { foreseen: 'create' | 'change'; outcome: Verdict['outcome'] }[],
): ImportCounts {
  const sum = { ...counts };
  for (const { foreseen, outcome } of taken) {
    sum[counted[foreseen]] -= 1;
    sum[counted[outcome]] += 1;
    if (outcome === 'create' || outcome === 'change') sum.done += 1;
  }
  return sum;
}

export type ReadRow<Row> = { row: Row } | { errors: RowError[] };

/** All that is wrong with the row, each by its column; `$` is the whole. */
export function readRow<Row>(kind: ImportKind<Row>, layout: Layout, { cells }: Pick<CsvRecord, 'cells'>): ReadRow<Row> {
  const contents = cells.map(contentOf);
  if (!fits(layout, contents))
    return wrong('$', `has ${cells.length} cells, and the file ${layout.columns.length} columns`);
  const sent = sentCells(layout, contents);
  const given = sentColumns(layout).flatMap((column, n) => (sent[n] ? [[column, sent[n]] as const] : []));
  const parsed = kind.row.safeParse(Object.fromEntries(given));
  const errors = [...given.flatMap(lossIn), ...(parsed.error?.issues ?? []).map(toRowError)];
  return parsed.success && errors.length === 0 ? { row: parsed.data } : { errors: firstOfEach(errors) };
}

/** A file of ours shows a NUL like that too, and is refused for it again. */
const lossIn = ([column, content]: readonly [string, string]): RowError[] =>
  content.includes(lostCharacter)
    ? [{ column, message: `has a NUL byte or another lost character in it, shown as ${lostCharacter}` }]
    : [];

const wrong = (column: string, message: string) => ({ errors: [{ column, message }] });

const firstOfEach = (errors: RowError[]): RowError[] =>
  errors.filter(({ column }, index) => errors.findIndex((one) => one.column === column) === index);

const toRowError = ({ path, message }: z.core.$ZodIssue): RowError => ({ column: String(path[0] ?? '$'), message });
