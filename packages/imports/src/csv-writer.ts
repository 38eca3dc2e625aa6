/**
 * What a spreadsheet would take for a formula begins with one of these (the wide forms too), be it behind quotes. It may
 * do so where the cell begins; and behind any separator or line break within it, since there a spreadsheet begins a cell
 * that takes another sign for the separator than the file has.
 */
const formula = `(?=["']*[=+\\-@\uff1d\uff0b\uff0d\uff20])`;
const beginning = '(^|[,;\\t\\r\\n])';
const bare = new RegExp(beginning + formula, 'g');
const apostrophed = new RegExp(`${beginning}'${formula}`, 'g');

/** With an apostrophe before it; one that has it already gets another, so that reading takes back what writing added. */
export const guarded = (cell: string): string => cell.replace(bare, "$1'");

const unguarded = (cell: string): string => cell.replace(apostrophed, '$1');

/** What a cell says, by whomever it was guarded: by us, or by a person who met the same trouble. */
export const contentOf = (cell: string): string => unguarded(cell.trim());

/** One line of a CSV file as RFC 4180 has it, but for the separator. */
export const csvLine = (cells: readonly string[], delimiter: string): string =>
  `${cells.map((cell) => quoted(guarded(cell))).join(delimiter)}\r\n`;

const quoted = (cell: string) => (/[",;\r\n\t]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Without it a spreadsheet takes the file for one in its country's old encoding. */
export const byteOrderMark = '\ufeff';
