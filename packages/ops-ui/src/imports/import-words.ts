import type { CsvImport, ImportRow } from '../api/types.ts';
import { counted } from '../parts/words.ts';
import { type ImportKind, mostBytes } from './columns.ts';

export type Outcome = ImportRow['outcome'];
/** What of a file is shown; all of it where nothing of it is chosen. */
export type Shown = Outcome | 'all';

const outcomes = ['create', 'change', 'unchanged', 'refused', 'created', 'changed'] as const satisfies Outcome[];

/** Which import an address shows, and which of its rows. */
export function importSearch(search: Record<string, unknown>): { import?: string; rows?: Shown } {
  const rows = [...outcomes, 'all' as const].find((one) => one === search.rows);
  return { ...(typeof search.import === 'string' && { import: search.import }), ...(rows && { rows }) };
}

const megabyte = 1024 * 1024;

export const sizeInWords = (bytes: number): string =>
  bytes < megabyte ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / megabyte).toFixed(1)} MB`;

/** Why a file need not even be sent; null: the service is to say. */
export function fileObstacle({ size }: { size: number }): string | null {
  if (size === 0) return 'This file is empty.';
  if (size <= mostBytes) return null;
  return `This file has ${sizeInWords(size)}; at most ${sizeInWords(mostBytes)} can be taken at once. Send it in parts.`;
}

export const rowsInWords = (count: number): string => counted(count, 'row');

export const outcomeNames: Record<Outcome, string> = {
  create: 'To create',
  change: 'To change',
  created: 'Created',
  changed: 'Changed',
  unchanged: 'Unchanged',
  refused: 'Refused',
};

const single: Record<ImportKind, string> = { renewals: 'renewal', customers: 'customer' };

/** What became of one row, or would. */
export function outcomeInWords(outcome: Outcome, kind: ImportKind): string {
  const what = single[kind];
  const words: Record<Outcome, string> = {
    create: `A new ${what}`,
    change: `Changes a ${what}`,
    created: `Made a new ${what}`,
    changed: `Changed a ${what}`,
    unchanged: 'Is there already, just so',
    refused: 'Refused',
  };
  return words[outcome];
}

export interface Part {
  outcome: Outcome;
  count: number;
}

/** The parts of a file by what becomes of them, what needs a person first. */
export function partsOf({ status, counts }: Pick<CsvImport, 'status' | 'counts'>): Part[] {
  // Where it broke off, some are done and some are not, and nobody counted which.
  if (status === 'FAILED') return [];
  const isDone = status === 'COMPLETED';
  return [
    { outcome: 'refused', count: counts.refused },
    { outcome: isDone ? 'created' : 'create', count: counts.to_create },
    { outcome: isDone ? 'changed' : 'change', count: counts.to_change },
    { outcome: 'unchanged', count: counts.unchanged },
  ];
}

/** Refused ones first, unless something else was asked for that this file has. */
export function shownOf(parts: readonly Part[], asked: Shown | undefined): Shown {
  if (asked === 'all' || parts.some(({ outcome }) => outcome === asked)) return asked as Shown;
  return parts.some(({ outcome, count }) => outcome === 'refused' && count > 0) ? 'refused' : 'all';
}

/** What taking the file in would do, as a sentence; and whether there is anything to take in. */
export function previewInWords({ rows, to_create, to_change, refused }: CsvImport['counts']): string {
  if (rows === 0) return 'There is no row in this file below the names of its columns.';
  if (to_create + to_change > 0)
    return refused === 0
      ? 'Nothing is taken in yet.'
      : 'Nothing is taken in yet. Refused rows are left out; correct them and send the file again, which does no harm to the others.';
  if (refused === 0) return 'All that is in this file is there already, just so: taking it in would change nothing.';
  return 'No row of this file can be taken in. Correct the refused ones and send the file again.';
}

/** What taking it in leads to, as far as anybody can say; null: nothing is foreseen of such a file. */
export function forecastInWords({ forecast, counts }: Pick<CsvImport, 'forecast' | 'counts'>): string | null {
  if (!forecast || counts.to_create + counts.to_change === 0) return null;
  const { tonight, next_30_days } = forecast;
  const days = `Tonight: ${deedsInWords(tonight)}. In the next 30 days, tonight included: ${deedsInWords(next_30_days)}.`;
  return tonight.tasks === null
    ? `${days} How many tasks and messages come could not be counted, since the alert plan could not be asked for; send the file again to see.`
    : days;
}

type Deeds = NonNullable<CsvImport['forecast']>['tonight'];

function deedsInWords({ tasks, flags, messages }: Deeds): string {
  if (tasks === 0 && flags === 0 && messages === 0) return 'no tasks, compliance flags or messages to customers';
  const all = [
    ...(tasks === null ? [] : [countOf(tasks, 'task')]),
    countOf(flags, 'compliance flag'),
    ...(messages === null ? [] : [`${countOf(messages, 'message')} to customers`]),
  ];
  const last = all.at(-1);
  return all.length === 1 ? `${last}` : `${all.slice(0, -1).join(', ')} and ${last}`;
}

const countOf = (count: number, what: string): string =>
  `${count === 0 ? 'no' : count.toLocaleString()} ${what}${count === 1 ? '' : 's'}`;

export const progressInWords = ({ to_create, to_change, done }: CsvImport['counts']): string =>
  `${done.toLocaleString()} of ${rowsInWords(to_create + to_change)} taken in`;

export function shareDone({ to_create, to_change, done }: CsvImport['counts']): number | null {
  const all = to_create + to_change;
  return all === 0 ? null : done / all;
}

export function outcomeOfAll({ done, refused }: CsvImport['counts']): string {
  const taken = done === 0 ? 'Nothing was taken in' : `${rowsInWords(done)} taken in`;
  return refused === 0 ? `${taken}.` : `${taken}, ${refused.toLocaleString()} refused.`;
}
