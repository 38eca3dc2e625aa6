import { type Layout, ownColumns, sentCells, sentColumns } from './csv-layout.ts';
import { byteOrderMark, contentOf, csvLine } from './csv-writer.ts';
import type { StoredRow, Told } from './import.ts';

/**
 * The rows as they were sent, behind what became of them: a file that may be corrected and sent again. It has the separator
 * of the one that was sent, since that is the one the sender's spreadsheet knows.
 */
export const outcomeHeader = (layout: Layout): string =>
  byteOrderMark + csvLine([...ownColumns, ...sentColumns(layout)], layout.delimiter);

export const outcomeLine = (layout: Layout, row: Told<StoredRow>): string =>
  csvLine([...toldOf(row), ...sentCells(layout, row.cells.map(contentOf))], layout.delimiter);

const toldOf = ({ line, outcome, id, errors, kept, responsible_agent }: Told<StoredRow>) => [
  String(line),
  outcome,
  id ?? '',
  errors.map(({ column, message }) => `${column}: ${message}`).join('; '),
  responsible_agent ?? '',
  kept.join('; '),
];
