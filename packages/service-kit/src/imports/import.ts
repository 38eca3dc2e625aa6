import type { CsvImport, ImportCounts, ImportRow, RenewalImportQuery } from '@ops/contracts/resources/import';
import type { z } from 'zod';
import type { Db, Trx } from '../database/database.ts';
import { fits, type Layout, sentCells, sentColumns } from './csv-layout.ts';
import type { CsvRecord } from './csv-records.ts';
import { lostCharacter } from './csv-text.ts';
import { contentOf } from './csv-writer.ts';

export type RowError = ImportRow['errors'][number];

/** What a row asks for, as things stand; or what was done for it. */
export type Verdict =
  | { outcome: 'create'; id: string | null }
  | { outcome: 'change' | 'unchanged'; id: string }
  | { outcome: 'refused'; errors: RowError[] };

export const refusedFor = (column: string, message: string): Verdict => ({
  outcome: 'refused',
  errors: [{ column, message }],
});

/** What is asked for with a file besides its name; the kind says what it means. */
export type ImportOptions = Partial<Pick<RenewalImportQuery, 'seed_alerts'>>;

type RowSchema = z.ZodObject<Record<string, z.ZodType>>;

/** What is imported: how a row reads, and what it does. Both are asked in portions, and answer in their order. */
export interface ImportKind<Row> {
  /** Its columns, each of which reads a cell; what may be left out is no cell at all. */
  row: RowSchema & z.ZodType<Row>;
  /** Two rows of a file that are about the same have the same. */
  keyOf(row: Row): string;
  /** What would be done for these. */
  foresee(db: Db, rows: readonly Row[], options: ImportOptions): Promise<Verdict[]>;
  /** Does it, unless there is nothing to be done any more. */
  take(trx: Trx, rows: readonly Row[], options: ImportOptions): Promise<Verdict[]>;
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
}

export const toImport = ({ options: _, layout: __, apply: ___, ...resource }: StoredImport): CsvImport => resource;

export const nothingYet: ImportCounts = { rows: 0, to_create: 0, to_change: 0, unchanged: 0, refused: 0, done: 0 };

/** A row as it is stored. */
export interface StoredRow extends ImportRow {
  /** As they stood in the file. */
  cells: string[];
}

const counted = { create: 'to_create', change: 'to_change', unchanged: 'unchanged', refused: 'refused' } as const;

export function withChecked(counts: ImportCounts, outcomes: readonly Verdict['outcome'][]): ImportCounts {
  const sum = { ...counts, rows: counts.rows + outcomes.length };
  for (const outcome of outcomes) sum[counted[outcome]] += 1;
  return sum;
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
  const parsed = kind.row.safeParse(Object.fromEntries(given), { error: plainWords });
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

const plainWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_format' && issue.format === 'date') return 'must be a date written as YYYY-MM-DD';
  if (issue.code === 'invalid_value') return `must be one of: ${issue.values.join(', ')}`;
  return undefined;
};
