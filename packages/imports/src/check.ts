import type { ImportForecast } from '@ops/contracts/resources/import';
import type { Trx } from '@ops/service-kit/database';
import { beginning, type CsvRecord, nextOf, type ReadTo, recordsOf } from './csv-records.ts';
import { CsvFileError } from './csv-text.ts';
import {
  type Foreseen,
  type ImportKind,
  type ReadRow,
  readRow,
  refusedFor,
  type StoredImport,
  type StoredRow,
  tooMany,
  type Verdict,
  withChecked,
} from './import.ts';
import * as store from './import-store.ts';
import { batchOf, goOn, type Importing } from './importing.ts';

/** Looks the next rows through, or, when there are none, ends the looking through. */
export async function check<Row>(importing: Importing<Row>, trx: Trx, current: StoredImport): Promise<void> {
  const { id, layout, apply } = current;
  const from = current.read_to ?? beginning;
  const records = await nextOf(recordsOf(store.readFile(trx, id, from.bytes), layout, from), batchOf(importing));
  const last = records.at(-1);
  if (last) await checkBatch(importing, trx, current, records, last.readTo);
  else await endCheck(importing, trx, current);
  if (last || apply) await goOn(importing, trx, id);
}

/** What waits to be applied is nobody's: whichever version has it applied says who goes on. */
async function endCheck<Row>({ now }: Importing<Row>, trx: Trx, { id, apply }: StoredImport): Promise<void> {
  const after = apply ? { status: 'RUNNING' as const } : { status: 'CHECKED' as const, claimed_until: null };
  await store.changeImport(trx, id, { ...after, updated_at: now() });
  await store.forgetFile(trx, id);
}

async function checkBatch<Row>(
  importing: Importing<Row>,
  trx: Trx,
  current: StoredImport,
  records: readonly CsvRecord[],
  read_to: ReadTo,
): Promise<void> {
  const judged = await judgeAll(importing, trx, current, records);
  await store.insertRows(trx, current.id, judged.map(toStored));
  const outcomes = judged.map(({ verdict }) => (verdict as Verdict).outcome);
  const counts = withChecked(current.counts, outcomes);
  const beyond = tooMany(counts);
  if (beyond !== undefined) throw new CsvFileError(beyond);
  const forecast = await forecastOf(importing, trx, current, judged);
  await store.changeImport(trx, current.id, { counts, forecast, read_to, updated_at: importing.now() });
}

/** Of the whole file or not at all: what the version before began to look through has none. */
async function forecastOf<Row>(
  { kind }: Importing<Row>,
  trx: Trx,
  { counts, forecast, options }: StoredImport,
  judged: readonly Judged<Row>[],
): Promise<ImportForecast | null> {
  const isHalf = forecast === null && counts.rows > 0;
  if (!kind.forecast || isHalf) return forecast;
  return kind.forecast(trx, judged.flatMap(wouldBeTaken), options, forecast);
}

const wouldBeTaken = <Row>({ read, verdict }: Judged<Row>): Foreseen<Row>[] =>
  'row' in read && (verdict?.outcome === 'create' || verdict?.outcome === 'change')
    ? [{ row: read.row, id: verdict.id }]
    : [];

type Judged<Row> = CsvRecord & { read: ReadRow<Row>; key: string | null; verdict?: Verdict };

async function judgeAll<Row>(
  { kind }: Importing<Row>,
  trx: Trx,
  { id, layout, options }: StoredImport,
  records: readonly CsvRecord[],
): Promise<Judged<Row>[]> {
  const judged = records.map((record): Judged<Row> => {
    const read = readRow(kind, layout, record);
    const refused = 'errors' in read ? { verdict: { outcome: 'refused' as const, errors: read.errors } } : {};
    return { ...record, read, key: null, ...refused };
  });
  await nameKeys(kind, trx, judged);
  await refuseTwins(trx, id, judged);
  const open = judged.filter(({ verdict }) => verdict === undefined);
  const rows = open.flatMap(({ read }) => ('row' in read ? [read.row] : []));
  const foreseen = await kind.foresee(trx, rows, options);
  for (const [index, one] of open.entries()) one.verdict = foreseen[index] as Verdict;
  return judged;
}

async function nameKeys<Row>(kind: ImportKind<Row>, trx: Trx, judged: Judged<Row>[]): Promise<void> {
  const read = judged.filter((one): one is Judged<Row> & { read: { row: Row } } => 'row' in one.read);
  const rows = read.map((one) => one.read.row);
  const named = kind.named ? await kind.named(trx, rows) : rows;
  for (const [n, one] of read.entries()) one.key = kind.keyOf(named[n] as Row);
}

/** The first row about something counts; any other could only undo it. */
async function refuseTwins<Row>(trx: Trx, id: string, judged: Judged<Row>[]): Promise<void> {
  const keys = judged.flatMap(({ key }) => key ?? []);
  const lines = await store.linesOfKeys(trx, id, keys);
  for (const one of judged) {
    if (one.key === null) continue;
    const first = lines.get(one.key);
    if (first === undefined) lines.set(one.key, one.line);
    else one.verdict = refusedFor('$', `is about the same as line ${first}: ${one.key}`);
  }
}

const toStored = <Row>({ line, cells, key, verdict }: Judged<Row>): StoredRow => {
  const { outcome, ...rest } = verdict as Verdict;
  const told = { id: null, errors: [], kept: [], ...rest };
  return { line, cells, outcome, key, ...told };
};
