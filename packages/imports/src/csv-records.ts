import { pipeline, Readable } from 'node:stream';
import { isNativeError } from 'node:util/types';
import { type Info, parse } from 'csv-parse';
import { hasOwn, type Layout } from './csv-layout.ts';
import { CsvFileError } from './csv-text.ts';

/** How much of a file was read: whole lines. */
export interface ReadTo {
  bytes: number;
  lines: number;
}

export const beginning: ReadTo = { bytes: 0, lines: 0 };

/** One row of a file, as it stands there. */
export interface CsvRecord {
  /** Where it begins, the first line of the file being 1. */
  line: number;
  cells: string[];
  readTo: ReadTo;
}

/**
 * Far above any row there is, so that a quote somebody left open does not read the whole file as one. In a file of ours it
 * may have grown, by what became of it and by an apostrophe for every two signs.
 */
const mostRecordBytes = (layout: Layout) => (hasOwn(layout) ? 2 : 1) * 256 * 1024;

/** So many separators in a row are no row either, though nothing stands between them. */
const mostCells = 1_000;

/**
 * The rows below the first line, one after the other, from what was read before; what is at fault with the file as a whole is
 * a CsvFileError. The pieces are of its text, from there on.
 */
export async function* recordsOf(
  pieces: AsyncIterable<Buffer>,
  layout: Layout,
  from: ReadTo = beginning,
): AsyncGenerator<CsvRecord> {
  let lastLine = from.lines;
  const parser = parse({
    delimiter: layout.delimiter,
    record_delimiter: '\n',
    info: true,
    max_record_size: mostRecordBytes(layout),
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    relax_column_count: true,
    cast(cell, { index }) {
      if (index === mostCells) throw new CsvFileError(`${unreadableFrom(lastLine + 1)}: the row has too many cells`);
      return cell;
    },
    // Told where it is even of rows that nobody reads any more because a later one is at fault.
    on_record(record, { lines }) {
      lastLine = from.lines + lines;
      return record;
    },
  });
  // An error on the way ends the parser with it, and whoever reads no further ends the reading.
  pipeline(Readable.from(pieces), parser, () => {});
  try {
    for await (const { info, record } of parser as AsyncIterable<{ info: Info; record: string[] }>) {
      const readTo = { bytes: from.bytes + info.bytes, lines: from.lines + info.lines };
      const line = readTo.lines - record.reduce((lines, cell) => lines + newlines(cell), 0);
      const isHeader = from.bytes === 0 && info.records === 1;
      if (!isHeader) yield { line, cells: record, readTo };
    }
  } catch (error) {
    throw isOfParser(error) ? new CsvFileError(reasonOf(error.code, lastLine + 1)) : error;
  }
}

/** About as much as is in memory at a time: one row may be as long as a thousand others. */
export const mostBatchBytes = 1024 * 1024;

/** The next ones: so many, or as many as there is room for. */
export async function nextOf(records: AsyncIterable<CsvRecord>, most: number): Promise<CsvRecord[]> {
  const batch: CsvRecord[] = [];
  let size = 0;
  for await (const record of records) {
    batch.push(record);
    size += record.cells.reduce((sum, cell) => sum + cell.length, 0);
    if (batch.length >= most || size >= mostBatchBytes) break;
  }
  return batch;
}

const newlines = (cell: string) => cell.split('\n').length - 1;

const isOfParser = (error: unknown): error is Error & { code: string } =>
  isNativeError(error) && 'code' in error && /^(CSV_|INVALID_OPENING_QUOTE)/.test(String(error.code));

const unreadableFrom = (line: number) => `from line ${line} on the file cannot be read`;

function reasonOf(code: string, line: number): string {
  const at = unreadableFrom(line);
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `${at}: a quote that is opened there is never closed`;
  if (code === 'CSV_MAX_RECORD_SIZE') return `${at}: the row is too long; is a quote left open?`;
  return `${at}: a cell with a quote in it must stand in quotes, and the quote be doubled`;
}
