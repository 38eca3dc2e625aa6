import type { PlainDate } from '@ops/contracts/dates';
import type { RefreshCounts, RefreshRun, RefreshRunDetail } from '@ops/contracts/resources/refresh';
import { type Db, execute, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';

/** A run without what is counted only when somebody asks. */
export type StoredRun = Omit<RefreshRun, 'remaining'>;

const RUN = `id AS run_id, as_of, status, started_by, '{"outreach": 0}' || counts AS counts, at_risk, failure,
  utc_text(started_at) AS started_at,
  utc_text(updated_at) AS updated_at, utc_text(finished_at) AS finished_at`;

interface Refreshed {
  as_of: PlainDate | null;
}

export async function readRefreshed(db: Db | Trx): Promise<PlainDate | null> {
  return (await oneRow<Refreshed>(db, 'SELECT as_of FROM refreshed')).as_of;
}

/** Null: there is no renewal. */
export async function firstDay(db: Db): Promise<PlainDate | null> {
  return (await oneRow<{ day: PlainDate | null }>(db, 'SELECT min(created_on) AS day FROM renewals')).day;
}

/** Runs begin and end one after the other. */
export async function lockRefreshed(trx: Trx): Promise<PlainDate | null> {
  return (await oneRow<Refreshed>(trx, 'SELECT as_of FROM refreshed FOR UPDATE')).as_of;
}

/** It never goes back. */
export async function setRefreshed(trx: Trx, as_of: PlainDate): Promise<void> {
  await execute(trx, 'UPDATE refreshed SET as_of = greatest(as_of, CAST(? AS date))', [as_of]);
}

export async function findUnfinished(db: Db | Trx): Promise<StoredRun | undefined> {
  return firstRow<StoredRun>(db, `SELECT ${RUN} FROM refresh_runs WHERE status = 'RUNNING'`);
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
  return oneRow<StoredRun>(
    trx,
    `INSERT INTO refresh_runs (id, as_of, status, started_by, slot, counts, started_at, updated_at)
     VALUES (:id, :as_of, 'RUNNING', :started_by, :slot, :counts, :now, :now) RETURNING ${RUN}`,
    { ...run, counts: JSON.stringify(counts), now },
  );
}

/** Held until the transaction ends: one batch at a time, whoever runs it. Undefined: the run is over. */
export async function lockRunning(trx: Trx, run_id: string): Promise<StoredRun | undefined> {
  return firstRow<StoredRun>(
    trx,
    `SELECT ${RUN} FROM refresh_runs WHERE id = :run_id AND status = 'RUNNING' FOR UPDATE`,
    { run_id },
  );
}

export async function saveCounts(trx: Trx, run_id: string, counts: RefreshCounts, now: Date): Promise<void> {
  await trx('refresh_runs')
    .where({ id: run_id })
    .update({ counts: JSON.stringify(counts), updated_at: now });
}

/** So many more alerts were told. */
export async function addAlerts(trx: Trx, run_id: string, alerts: number): Promise<void> {
  if (alerts > 0) await trx('refresh_runs').where({ id: run_id }).increment('alerts', alerts);
}

export type End =
  | { status: 'COMPLETED'; at_risk: number | null }
  | { status: 'ABANDONED' }
  | { status: 'FAILED'; failure: string };

/** Undefined: it was over before. */
export async function endRun(
  trx: Trx,
  run_id: string,
  end: End,
  now: Date,
): Promise<{ as_of: PlainDate; alerts: number } | undefined> {
  const [ended] = await trx('refresh_runs')
    .where({ id: run_id, status: 'RUNNING' })
    .update({ ...end, updated_at: now, finished_at: now })
    .returning(['as_of', 'alerts']);
  return ended;
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
  return firstRow<StoredRun>(db, `SELECT ${RUN} FROM refresh_runs WHERE id = :run_id`, { run_id });
}

export async function listSetAside(db: Db, run_id: string): Promise<RefreshRunDetail['set_aside']> {
  return rows<RefreshRunDetail['set_aside'][number]>(
    db,
    `SELECT s.renewal_id, r.customer_id, s.error FROM refresh_set_aside s JOIN renewals r ON r.id = s.renewal_id
     WHERE s.run_id = :run_id ORDER BY s.renewal_id LIMIT 200`,
    { run_id },
  );
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
  return rows<StoredRun>(
    db,
    `SELECT ${RUN} FROM refresh_runs
     WHERE (CAST(:after AS uuid) IS NULL OR id < :after) AND (CAST(:status AS text) IS NULL OR status = :status)
     ORDER BY id DESC LIMIT :limit`,
    { after: after ?? null, status: status ?? null, limit },
  );
}
