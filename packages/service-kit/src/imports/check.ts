import { type CsvRecord, inBatches, recordsOf } from './csv-records.ts';
import { type ReadRow, readRow, refusedFor, type StoredRow, type Verdict, withChecked } from './import.ts';
import * as store from './import-store.ts';
import { batchOf, type ImportWork, leaseUntil, whileClaimed } from './import-worker.ts';

/** Looks the file through, from the row after the last that is recorded. False: it had to stop before the end. */
export async function check<Row>(work: ImportWork<Row>): Promise<boolean> {
  const { deps, stopping } = work;
  for await (const records of inBatches(recordsLeft(work), batchOf(deps))) {
    if (stopping.aborted) break;
    await checkBatch(work, records);
  }
  if (stopping.aborted) return false;
  await whileClaimed(work, (trx, { id, apply }) => store.endCheck(trx, id, apply ? 'RUNNING' : 'CHECKED', deps.now()));
  return true;
}

async function* recordsLeft<Row>({ deps, claimed, stopping }: ImportWork<Row>): AsyncGenerator<CsvRecord> {
  const done = await store.lastLine(deps.db, claimed.id);
  for await (const record of recordsOf(store.readChunks(deps.db, claimed.id), claimed.layout)) {
    if (stopping.aborted) return;
    if (record.line > done) yield record;
  }
}

async function checkBatch<Row>(work: ImportWork<Row>, records: readonly CsvRecord[]): Promise<void> {
  const { deps } = work;
  const rows = await judgeAll(work, records);
  await whileClaimed(work, async (trx, { id, counts }) => {
    await store.insertRows(trx, id, rows);
    const checked = withChecked(
      counts,
      rows.map(({ outcome }) => outcome as Verdict['outcome']),
    );
    await store.saveProgress(trx, id, { counts: checked, until: leaseUntil(deps), now: deps.now() });
  });
}

type Judged<Row> = CsvRecord & { read: ReadRow<Row>; key: string | null; verdict?: Verdict };

async function judgeAll<Row>(work: ImportWork<Row>, records: readonly CsvRecord[]): Promise<StoredRow[]> {
  const { kind, claimed, deps } = work;
  const judged = records.map((record): Judged<Row> => {
    const read = readRow(kind, claimed.layout, record);
    return 'errors' in read
      ? { ...record, read, key: null, verdict: { outcome: 'refused', errors: read.errors } }
      : { ...record, read, key: kind.keyOf(read.row) };
  });
  await refuseTwins(work, judged);
  const open = judged.filter(({ verdict }) => verdict === undefined);
  const rows = open.flatMap(({ read }) => ('row' in read ? [read.row] : []));
  const foreseen = await kind.foresee(deps.db, rows, claimed.options);
  for (const [index, one] of open.entries()) one.verdict = foreseen[index] as Verdict;
  return judged.map(toStored);
}

/** The first row about something counts; any other could only undo it. */
async function refuseTwins<Row>({ deps, claimed }: ImportWork<Row>, judged: Judged<Row>[]): Promise<void> {
  const keys = judged.flatMap(({ key }) => key ?? []);
  const lines = await store.linesOfKeys(deps.db, claimed.id, keys);
  for (const one of judged) {
    if (one.key === null) continue;
    const first = lines.get(one.key);
    if (first === undefined) lines.set(one.key, one.line);
    else one.verdict = refusedFor('$', `is about the same as line ${first}: ${one.key}`);
  }
}

const toStored = <Row>({ line, cells, key, verdict }: Judged<Row>): StoredRow => {
  const { outcome, ...rest } = verdict as Verdict;
  const told = { id: null, errors: [], ...rest };
  return { line, cells, outcome, key, id: told.id, errors: told.errors };
};
