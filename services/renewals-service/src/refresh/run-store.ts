import type { PlainDate } from '@ops/contracts/dates';
import type { RefreshCounts, RefreshRun, RefreshRunDetail } from '@ops/contracts/resources/refresh';
import type { Db, Trx } from '@ops/service-kit/database';

/** A run without what is counted only when somebody asks. */
export type StoredRun = Omit<RefreshRun, 'remaining'>;

const RUN = `id AS run_id, as_of, status, started_by, counts, failure, utc_text(started_at) AS started_at,
  utc_text(updated_at) AS updated_at, utc_text(finished_at) AS finished_at`;

export async function readRefreshed(db: Db | Trx): Promise<PlainDate | null> {
  return (await db('refreshed').first('as_of')).as_of;
}

/** Null: there is no renewal. */
export async function firstDay(db: Db): Promise<PlainDate | null> {
  return (await db('renewals').min('created_on AS day').first())?.day ?? null;
}

/** Runs begin and end one after the other. */
export async function lockRefreshed(trx: Trx): Promise<PlainDate | null> {
  return (await trx('refreshed').forUpdate().first('as_of')).as_of;
}

/** It never goes back. */
export async function setRefreshed(trx: Trx, as_of: PlainDate): Promise<void> {
  await trx.raw('UPDATE refreshed SET as_of = greatest(as_of, CAST(? AS date))', [as_of]);
}

export async function findUnfinished(db: Db | Trx): Promise<StoredRun | undefined> {
  return db('refresh_runs').where({ status: 'RUNNING' }).first(db.raw(RUN));
}

export async function isSlotTaken(trx: Trx, slot: Date): Promise<boolean> {
  return (await trx('refresh_runs').where({ slot }).first('id')) !== undefined;
}

/** Whoever starts it, it is the run of that time of day too. */
export async function takeSlot(trx: Trx, run_id: string, slot: Date): Promise<void> {
  await trx('refresh_runs').where({ id: run_id, slot: null }).update({ slot });
}

export interface NewRun {
  id: string;
  as_of: PlainDate;
  started_by: string | null;
  slot: Date | null;
  counts: RefreshCounts;
}

export async function insertRun(trx: Trx, { counts, ...run }: NewRun, now: Date): Promise<StoredRun> {
  const times = { started_at: now, updated_at: now };
  const [inserted] = await trx('refresh_runs')
    .insert({ ...run, ...times, counts: JSON.stringify(counts), status: 'RUNNING' })
    .returning(trx.raw(RUN));
  return inserted;
}

/** Held until the transaction ends: one batch at a time, whoever runs it. Undefined: the run is over. */
export async function lockRunning(trx: Trx, run_id: string): Promise<StoredRun | undefined> {
  return trx('refresh_runs').where({ id: run_id, status: 'RUNNING' }).forUpdate().first(trx.raw(RUN));
}

export async function saveCounts(trx: Trx, run_id: string, counts: RefreshCounts, now: Date): Promise<void> {
  await trx('refresh_runs')
    .where({ id: run_id })
    .update({ counts: JSON.stringify(counts), updated_at: now });
}

export async function endRun(
  db: Db | Trx,
  run_id: string,
  end: { status: 'COMPLETED' | 'ABANDONED' } | { status: 'FAILED'; failure: string },
  now: Date,
): Promise<void> {
  await db('refresh_runs')
    .where({ id: run_id, status: 'RUNNING' })
    .update({ ...end, updated_at: now, finished_at: now });
}

/** True: it was not there before. */
export async function insertSetAside(trx: Trx, run_id: string, renewal_id: string, error: string): Promise<boolean> {
  const added = await trx('refresh_set_aside')
    .insert({ run_id, renewal_id, error })
    .onConflict()
    .ignore()
    .returning('renewal_id');
  return added.length > 0;
}

export async function findRun(db: Db | Trx, run_id: string): Promise<StoredRun | undefined> {
  return db('refresh_runs').where({ id: run_id }).first(db.raw(RUN));
}

export async function listSetAside(db: Db, run_id: string): Promise<RefreshRunDetail['set_aside']> {
  return db('refresh_set_aside AS s')
    .join('renewals AS r', 'r.id', 's.renewal_id')
    .where({ run_id })
    .orderBy('s.renewal_id')
    .limit(200)
    .select('s.renewal_id', 'r.customer_id', 's.error');
}

/** When the newest run ended, if it failed; undefined: there is none, or it did not. */
export async function lastFailure(db: Db | Trx): Promise<Date | undefined> {
  const [last] = await listRuns(db, {}, 1);
  return last?.status === 'FAILED' && last.finished_at !== null ? new Date(last.finished_at) : undefined;
}

interface RunsAsked {
  after?: string | undefined;
  status?: RefreshRun['status'] | undefined;
}

/** The newest first. */
export async function listRuns(db: Db | Trx, { after, status }: RunsAsked, limit: number): Promise<StoredRun[]> {
  const runs = db('refresh_runs').orderBy('id', 'desc').limit(limit);
  if (after !== undefined) runs.where('id', '<', after);
  if (status !== undefined) runs.where({ status });
  return runs.select(db.raw(RUN));
}
