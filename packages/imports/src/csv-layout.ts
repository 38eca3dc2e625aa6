import type { FieldError } from '@ops/contracts/problem';
import { parse } from 'csv-parse/sync';
import { textOf } from './csv-text.ts';

/** How a file is written, as its first line tells. */
export interface Layout {
  delimiter: string;
  /** In the order of the file, in small letters. */
  columns: string[];
}

/** The columns a file may have. */
export interface Columns {
  known: readonly string[];
  required: readonly string[];
}

/** Columns of ours in a file that was downloaded, corrected and sent again: they are passed over. */
export const ownColumns = [
  'import_line',
  'import_outcome',
  'import_id',
  'import_errors',
  'import_responsible_agent',
  'import_kept',
] as const;

const isOwn = (column: string) => (ownColumns as readonly string[]).includes(column);

export const hasOwn = ({ columns }: Layout): boolean => columns.some(isOwn);

/** What of the file's columns was the sender's. */
export const sentColumns = ({ columns }: Layout): string[] => columns.filter((column) => !isOwn(column));

/** A cell for each column; empty ones may follow. */
export const fits = ({ columns }: Layout, cells: readonly string[]): boolean =>
  cells.length >= columns.length && cells.slice(columns.length).every((cell) => cell === '');

/** What of a row was the sender's: be its cells too many or too few, as they are, so that it does not fit later either. */
export const sentCells = ({ columns }: Layout, cells: readonly string[]): string[] =>
  cells.filter((_, index) => !isOwn(columns[index] ?? ''));

/** The first line as a program or a spreadsheet in any country writes it, or all that is wrong with its columns. */
export async function readLayout(
  chunks: AsyncIterable<Buffer>,
  columns: Columns,
): Promise<Layout | { problems: FieldError[] }> {
  const head = await headOf(chunks);
  const readings = delimiters.flatMap((delimiter) => readHeader(head, delimiter) ?? []);
  const known = (layout: Layout) => layout.columns.filter((column) => columns.known.includes(column)).length;
  const [best] = readings.toSorted((a, b) => known(b) - known(a));
  if (!best) return { problems: [{ path: 'file', message: 'has no line with the names of its columns' }] };
  const problems = problemsOf(best.columns, columns);
  return problems.length > 0 ? { problems } : best;
}

const delimiters = [',', ';', '\t'];
const mostHeadCharacters = 64 * 1024;

async function headOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let head = '';
  for await (const text of textOf(chunks)) {
    head += text;
    head = head.replace(/^\n+/, '');
    if (head.length >= mostHeadCharacters || head.includes('\n')) break;
  }
  return head.slice(0, mostHeadCharacters);
}

function readHeader(head: string, delimiter: string): Layout | undefined {
  try {
    const [cells] = parse(head, { delimiter, to: 1, record_delimiter: '\n', relax_column_count: true });
    return cells && { delimiter, columns: cells.map((name) => name.trim().toLowerCase()) };
  } catch {
    return undefined;
  }
}

const mostProblems = 50;
const longestName = 200;

function problemsOf(columns: string[], { known, required }: Columns): FieldError[] {
  const problem = (path: string, message: string) => ({ path: path.slice(0, longestName), message });
  const missing = required.filter((name) => !columns.includes(name)).map((name) => problem(name, 'is missing'));
  const others = columns.flatMap((name, index) => {
    if (name === '') return problem(`column ${index + 1}`, 'has no name');
    if (columns.indexOf(name) < index) return problem(name, 'stands twice');
    return known.includes(name) || isOwn(name) ? [] : problem(name, 'is not known');
  });
  return [...missing, ...others].slice(0, mostProblems);
}
