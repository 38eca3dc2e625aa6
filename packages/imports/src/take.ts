import { actIn } from '@ops/service-kit/auditing';
import type { Trx } from '@ops/service-kit/database';
import { readRow, refusedFor, type StoredImport, type StoredRow, type Verdict, withTaken } from './import.ts';
import * as store from './import-store.ts';
import { batchOf, end, goOn, type Importing, mayHeal } from './importing.ts';

/** Takes the next good rows in, or, when there are none, ends the import. Records, events, outcomes and counts are one. */
export async function takeIn<Row>(importing: Importing<Row>, trx: Trx, current: StoredImport): Promise<void> {
  const rows = await store.rowsToDo(trx, current.id, batchOf(importing));
  if (rows.length === 0) return end(importing, trx, current.id, { status: 'COMPLETED' });
  // The outbox keeps the order: said before these rows' own events, the next batch does not wait until those are published.
  await goOn(importing, trx, current.id);
  await settle(importing, trx, current, rows, await takeFirst(importing, trx, current, rows));
}

/**
 * What fails is tried by its first half, until the row at fault stands alone; the rest is left to the next message. No two parts
 * share a transaction, whose locks are taken in one order only once.
 */
async function takeFirst<Row>(
  importing: Importing<Row>,
  trx: Trx,
  current: StoredImport,
  rows: readonly StoredRow[],
): Promise<Verdict[]> {
  try {
    return await trx.transaction((savepoint) => takeRows(importing, savepoint, current, rows));
  } catch (error) {
    if (mayHeal(error)) throw error;
    const [row, ...others] = rows;
    if (row && others.length === 0) return [giveUp(importing, current, row, error)];
    return takeFirst(importing, trx, current, rows.slice(0, Math.ceil(rows.length / 2)));
  }
}

async function takeRows<Row>(
  { kind }: Importing<Row>,
  trx: Trx,
  { layout, options, acting }: StoredImport,
  stored: readonly StoredRow[],
): Promise<Verdict[]> {
  const rows = stored.flatMap((row) => {
    const read = readRow(kind, layout, row);
    return 'row' in read ? [read.row] : [];
  });
  if (rows.length < stored.length) throw new Error('a row that was good is not any more');
  // What a file changes is as if whoever brought it had asked for it.
  if (acting) actIn(trx, acting);
  return kind.take(trx, rows, options);
}

function giveUp<Row>({ logger }: Importing<Row>, { id }: StoredImport, { line }: StoredRow, error: unknown): Verdict {
  logger.error({ err: error, import_id: id, line }, 'a row of an import could not be taken in');
  return refusedFor('$', 'could not be taken in; the log of the service tells why');
}

async function settle<Row>(
  { now }: Importing<Row>,
  trx: Trx,
  { id, counts }: StoredImport,
  rows: readonly StoredRow[],
  verdicts: readonly Verdict[],
): Promise<void> {
  const settled = verdicts.map(({ outcome, ...told }, n) => {
    const { line, key } = rows[n] as StoredRow;
    return { line, key, id: null, errors: [], kept: [], ...told, outcome: done[outcome] };
  });
  await store.settleRows(trx, id, settled);
  const taken = verdicts.map(({ outcome }, n) => ({ foreseen: rows[n]?.outcome as 'create' | 'change', outcome }));
  await store.changeImport(trx, id, { counts: withTaken(counts, taken), updated_at: now() });
}

const done = { create: 'created', change: 'changed', unchanged: 'unchanged', refused: 'refused' } as const;
