import type { RetentionPolicy, RetentionRun } from '@ops/contracts/resources/retention';
import type { Db, Trx } from '@ops/service-kit/database';

const POLICY = 'keep_days, version, utc_text(updated_at) AS updated_at, updated_by';

export async function readPolicy(db: Db | Trx): Promise<RetentionPolicy> {
  const { rows } = await db.raw(`SELECT ${POLICY} FROM retention_policy`);
  return rows[0];
}

export async function lockPolicy(trx: Trx): Promise<RetentionPolicy> {
  const { rows } = await trx.raw(`SELECT ${POLICY} FROM retention_policy FOR UPDATE`);
  return rows[0];
}

export async function savePolicy(
  trx: Trx,
  policy: Pick<RetentionPolicy, 'keep_days' | 'version' | 'updated_by'> & { updated_at: Date },
): Promise<RetentionPolicy> {
  const [saved] = await trx('retention_policy').update(policy).returning(trx.raw(POLICY));
  return saved;
}

/** Held until the transaction ends, however it ends. False: another run holds it. */
export async function holdRuns(trx: Trx): Promise<boolean> {
  const { rows } = await trx.raw(
    `SELECT pg_try_advisory_xact_lock(hashtext('retention'), hashtext(current_schema())) AS held`,
  );
  return rows[0].held;
}

/** The server ends a transaction that says nothing for too long. */
export async function stayAwake(trx: Trx): Promise<void> {
  await trx.raw('SELECT 1');
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
  const [inserted] = await trx('retention_runs')
    .insert({ ...run, places: JSON.stringify(run.places) })
    .returning(trx.raw(RUN));
  return inserted;
}

export async function listRuns(db: Db | Trx, after: string | undefined, limit: number): Promise<RetentionRun[]> {
  const { rows } = await db.raw(
    `SELECT ${RUN} FROM retention_runs
     WHERE CAST(:after AS uuid) IS NULL OR id < CAST(:after AS uuid) ORDER BY id DESC LIMIT :limit`,
    { after: after ?? null, limit },
  );
  return rows;
}
