import type { Trx } from '../database/database.ts';
import { readRow, refusedFor, type StoredImport, type StoredRow, type Verdict, withTaken } from './import.ts';
import * as store from './import-store.ts';
import { batchOf, ClaimLost, type ImportWork, leaseUntil, mayHeal, whileClaimed } from './import-worker.ts';

/** Takes the good rows in, the first in the file first. False: it had to stop before the end. */
export async function takeIn<Row>(work: ImportWork<Row>): Promise<boolean> {
  const { deps, claimed, stopping } = work;
  while (!stopping.aborted) {
    const lines = await store.linesToDo(deps.db, claimed.id, batchOf(deps));
    if (lines.length === 0) {
      await whileClaimed(work, (trx, { id }) => store.endImport(trx, id, { status: 'COMPLETED' }, deps.now()));
      return true;
    }
    await takeAll(work, lines);
    deps.committed();
  }
  return false;
}

/**
 * Records, events, outcomes and counts are one transaction. What fails is halved until the row at fault stands alone, so
 * that it holds none of the others up.
 */
async function takeAll<Row>(work: ImportWork<Row>, lines: readonly number[]): Promise<void> {
  try {
    await whileClaimed(work, (trx, current) => takeRows(work, trx, current, lines));
  } catch (error) {
    if (error instanceof ClaimLost || mayHeal(error)) throw error;
    if (lines.length === 1) return giveUp(work, lines, error);
    const half = Math.ceil(lines.length / 2);
    await takeAll(work, lines.slice(0, half));
    await takeAll(work, lines.slice(half));
  }
}

async function takeRows<Row>(
  work: ImportWork<Row>,
  trx: Trx,
  current: StoredImport,
  lines: readonly number[],
): Promise<void> {
  const { kind } = work;
  const stored = await store.rowsToDo(trx, current.id, lines);
  const rows = stored.flatMap((row) => {
    const read = readRow(kind, current.layout, row);
    return 'row' in read ? [read.row] : [];
  });
  if (rows.length < stored.length) throw new Error('a row that was good is not any more');
  await settle(work, trx, current, stored, await kind.take(trx, rows, current.options));
}

async function settle<Row>(
  { deps }: ImportWork<Row>,
  trx: Trx,
  { id, counts }: StoredImport,
  stored: readonly StoredRow[],
  verdicts: readonly Verdict[],
): Promise<void> {
  const taken = stored.flatMap((row, index) => {
    const verdict = verdicts[index];
    return verdict ? [{ row, verdict }] : [];
  });
  await store.settleRows(
    trx,
    id,
    taken.map(({ row: { line, key }, verdict: { outcome, ...told } }) => ({
      line,
      key,
      id: null,
      errors: [],
      ...told,
      outcome: done[outcome],
    })),
  );
  const outcomes = taken.map(({ row, verdict }) => ({
    foreseen: row.outcome as 'create' | 'change',
    outcome: verdict.outcome,
  }));
  const progress = { counts: withTaken(counts, outcomes), until: leaseUntil(deps), now: deps.now() };
  await store.saveProgress(trx, id, progress);
}

const done = { create: 'created', change: 'changed', unchanged: 'unchanged', refused: 'refused' } as const;

async function giveUp<Row>(work: ImportWork<Row>, lines: readonly number[], error: unknown): Promise<void> {
  const { deps, claimed } = work;
  deps.logger.error({ err: error, import_id: claimed.id, lines }, 'a row of an import could not be taken in');
  await whileClaimed(work, async (trx, current) => {
    const stored = await store.rowsToDo(trx, current.id, lines);
    await settle(
      work,
      trx,
      current,
      stored,
      stored.map(() => refusedFor('$', 'could not be taken in; the log of the service tells why')),
    );
  });
}
