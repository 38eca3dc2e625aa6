/**
 * What a spreadsheet would take for a formula begins with one of these (the wide forms too) and is written after an
 * apostrophe; one that has the apostrophe already gets another, so that reading takes back exactly what writing added.
 * A line feed is among them because a carriage return may come back as one.
 */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

export const guarded = (cell: string): string => (formula.test(cell) ? `'${cell}` : cell);

/** A cell as it was before it was guarded, by us or by a person who met the same trouble. */
export const unguarded = (cell: string): string => (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell);

/** One line of a CSV file as RFC 4180 has it. */
export const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => quoted(guarded(cell))).join(',')}\r\n`;

const quoted = (cell: string) => (/[",;\r\n\t]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Without it a spreadsheet takes the file for one in its country's old encoding. */
export const byteOrderMark = '\ufeff';
