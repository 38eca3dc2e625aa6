import type { LegalHold } from '@ops/contracts/resources/legal-hold';
import { type Db, execute, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';

export type Hold = Pick<LegalHold, 'reason' | 'by' | 'since'>;

/** Of several, since two who were held turned out to be one, the first. */
export async function findHold(db: Db | Trx, home: string): Promise<Hold | undefined> {
  return firstRow<Hold>(
    db,
    `SELECT reason, held_by AS by, utc_text(held_at) AS since
     FROM legal_holds WHERE customer_id = ANY (ids_of(:home)) ORDER BY held_at, customer_id LIMIT 1`,
    { home },
  );
}

/** Under each of their ids, so that all stay on hold if they turn out to be several people. It is on since it was first. */
export async function putOnHold(trx: Trx, home: string, hold: { reason: string; by: string; at: Date }): Promise<void> {
  await execute(
    trx,
    `INSERT INTO legal_holds AS h (customer_id, reason, held_by, held_at)
     SELECT id, :reason, :by, :at FROM unnest(ids_of(:home)) id
     ON CONFLICT (customer_id) DO UPDATE SET reason = excluded.reason, held_by = excluded.held_by`,
    { home, ...hold },
  );
}

export async function liftHold(trx: Trx, home: string): Promise<void> {
  await execute(trx, 'DELETE FROM legal_holds WHERE customer_id = ANY (ids_of(:home))', { home });
}

/** Everybody on hold, each by all of their ids. */
export async function idsOnHold(db: Db | Trx): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    `SELECT DISTINCT unnest(ids_of(coalesce(k.leads_to, k.id))) AS id
     FROM legal_holds h JOIN customers k ON k.id = h.customer_id ORDER BY 1`,
  );
  return found.map(({ id }) => id);
}

const HOLDS = "hashtext('legal holds'), hashtext(current_schema())";

/** Waits for whoever changes one at this moment. */
export async function lockHolds(trx: Trx): Promise<void> {
  await execute(trx, `SELECT pg_advisory_xact_lock(${HOLDS})`);
}

/** Together with others who change some; false: somebody goes by who is on hold, until their transaction ends. */
export async function shareHolds(trx: Trx): Promise<boolean> {
  const { shared } = await oneRow<{ shared: boolean }>(
    trx,
    `SELECT pg_try_advisory_xact_lock_shared(${HOLDS}) AS shared`,
  );
  return shared;
}
