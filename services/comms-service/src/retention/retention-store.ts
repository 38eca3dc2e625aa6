import type { RetentionPolicy, RetentionRun } from '@ops/contracts/resources/retention';
import { type Db, oneRow, rows, type Trx } from '@ops/service-kit/database';

/** A policy that the version before saved says nothing of who changed what, or less than can be: seven years. */
const POLICY = `keep_days || jsonb_build_object('AUDIT', greatest(2557, CAST(keep_days ->> 'AUDIT' AS int))) AS keep_days, version, utc_text(updated_at) AS updated_at,
  updated_by`;

export async function readPolicy(db: Db | Trx): Promise<RetentionPolicy> {
  return oneRow<RetentionPolicy>(db, `SELECT ${POLICY} FROM retention_policy`);
}

export async function lockPolicy(trx: Trx): Promise<RetentionPolicy> {
  return oneRow<RetentionPolicy>(trx, `SELECT ${POLICY} FROM retention_policy FOR UPDATE`);
}

export async function savePolicy(
  trx: Trx,
  policy: Pick<RetentionPolicy, 'keep_days' | 'version' | 'updated_by'> & { updated_at: Date },
): Promise<RetentionPolicy> {
  return oneRow<RetentionPolicy>(
    trx,
    `UPDATE retention_policy
     SET keep_days = :keep_days, version = :version, updated_at = :updated_at, updated_by = :updated_by
     RETURNING ${POLICY}`,
    { ...policy, keep_days: JSON.stringify(policy.keep_days) },
  );
}

/** Held until the transaction ends, however it ends. False: another run holds it. */
export async function holdRuns(trx: Trx): Promise<boolean> {
  const { held } = await oneRow<{ held: boolean }>(
    trx,
    `SELECT pg_try_advisory_xact_lock(hashtext('retention'), hashtext(current_schema())) AS held`,
  );
  return held;
}

export async function isSlotTaken(trx: Trx, slot: Date): Promise<boolean> {
  return (await trx('retention_runs').where({ slot }).first('id')) !== undefined;
}

const RUN = `id, dry_run, started_by, status, utc_text(as_of) AS as_of, places, failure,
  utc_text(finished_at) AS finished_at`;

export interface NewRun extends Omit<RetentionRun, 'as_of' | 'finished_at'> {
  slot: Date | null;
  as_of: Date;
  finished_at: Date;
}

export async function insertRun(trx: Trx, run: NewRun): Promise<RetentionRun> {
  return oneRow<RetentionRun>(
    trx,
    `INSERT INTO retention_runs (id, dry_run, started_by, slot, status, as_of, places, failure, finished_at)
     VALUES (:id, :dry_run, :started_by, :slot, :status, :as_of, :places, :failure, :finished_at) RETURNING ${RUN}`,
    { ...run, places: JSON.stringify(run.places) },
  );
}

export async function listRuns(db: Db | Trx, after: string | undefined, limit: number): Promise<RetentionRun[]> {
  return rows<RetentionRun>(
    db,
    `SELECT ${RUN} FROM retention_runs
     WHERE CAST(:after AS uuid) IS NULL OR id < CAST(:after AS uuid) ORDER BY id DESC LIMIT :limit`,
    { after: after ?? null, limit },
  );
}
