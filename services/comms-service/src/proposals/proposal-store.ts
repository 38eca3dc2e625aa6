import type { Proposal } from '@ops/contracts/resources/proposal';
import { type Db, execute, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';

const PROPOSAL = `id, kind, CASE WHEN kind = 'ERASURE' THEN subject_id END AS customer_id, status, keep_days, proposed_by, utc_text(proposed_at) AS proposed_at, confirmed_by,
  utc_text(effective_at) AS effective_at, ended_by, utc_text(ended_at) AS ended_at, reason`;

export type NewProposal = Pick<Proposal, 'id' | 'kind' | 'status' | 'keep_days' | 'proposed_by'> & {
  subject_id: string;
  aliases: readonly string[];
  proposed_at: Date;
  effective_at: Date | null;
};

/** Undefined: one of this kind is open for it already. */
export async function insertProposal(trx: Trx, proposal: NewProposal): Promise<Proposal | undefined> {
  return firstRow<Proposal>(
    trx,
    `INSERT INTO proposals (id, kind, subject_id, aliases, status, keep_days, proposed_by, proposed_at, effective_at)
     VALUES (:id, :kind, :subject_id, :aliases, :status, :keep_days, :proposed_by, :proposed_at, :effective_at)
     ON CONFLICT (kind, subject_id) WHERE status IN ('PROPOSED', 'CONFIRMED') DO NOTHING
     RETURNING ${PROPOSAL}`,
    { ...proposal, keep_days: JSON.stringify(proposal.keep_days) },
  );
}

export async function findOpen(trx: Trx, kind: Proposal['kind'], subject_id: string): Promise<Proposal | undefined> {
  return firstRow<Proposal>(
    trx,
    `SELECT ${PROPOSAL} FROM proposals
     WHERE kind = :kind AND subject_id = :subject_id AND status IN ('PROPOSED', 'CONFIRMED')`,
    { kind, subject_id },
  );
}

/** The newest of all that were made of it. */
export async function findNewest(
  db: Db | Trx,
  kind: Proposal['kind'],
  subject_id: string,
): Promise<Proposal | undefined> {
  return firstRow<Proposal>(
    db,
    `SELECT ${PROPOSAL} FROM proposals WHERE kind = :kind AND subject_id = :subject_id ORDER BY id DESC LIMIT 1`,
    { kind, subject_id },
  );
}

/** Who else the customer was when it was proposed. */
export async function aliasesProposed(trx: Trx, id: string): Promise<string[]> {
  const { aliases } = await oneRow<{ aliases: string[] }>(trx, 'SELECT aliases FROM proposals WHERE id = :id', { id });
  return aliases;
}

export async function lockProposal(trx: Trx, id: string): Promise<Proposal | undefined> {
  return firstRow<Proposal>(trx, `SELECT ${PROPOSAL} FROM proposals WHERE id = :id FOR UPDATE`, { id });
}

/** One whose day has passed; another replica may be at work on another one. */
export async function lockDue(trx: Trx, now: Date): Promise<Proposal | undefined> {
  return firstRow<Proposal>(
    trx,
    `SELECT ${PROPOSAL} FROM proposals
     WHERE status = 'CONFIRMED' AND effective_at <= :now
     ORDER BY effective_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    { now },
  );
}

export async function confirm(trx: Trx, id: string, by: string, effective_at: Date): Promise<Proposal> {
  return oneRow<Proposal>(
    trx,
    `UPDATE proposals SET status = 'CONFIRMED', confirmed_by = :by, effective_at = :effective_at
     WHERE id = :id RETURNING ${PROPOSAL}`,
    { id, by, effective_at },
  );
}

export interface Ended {
  status: 'CALLED_OFF' | 'DONE' | 'DECLINED';
  by: string | null;
  reason?: string;
}

export async function end(trx: Trx, id: string, { status, by, reason = '' }: Ended, at: Date): Promise<Proposal> {
  return oneRow<Proposal>(
    trx,
    `UPDATE proposals SET status = :status, ended_by = :by, ended_at = :at, reason = nullif(:reason, '')
     WHERE id = :id RETURNING ${PROPOSAL}`,
    { id, status, by, reason, at },
  );
}

export async function expire(db: Db, before: Date, at: Date): Promise<void> {
  await execute(
    db,
    `UPDATE proposals SET status = 'EXPIRED', ended_at = :at WHERE status = 'PROPOSED' AND proposed_at <= :before`,
    { before, at },
  );
}

/** What waits, and what came to nothing since. */
export async function listWaiting(
  db: Db,
  inVainSince: Date,
  after: string | undefined,
  limit: number,
): Promise<Proposal[]> {
  return rows<Proposal>(
    db,
    `SELECT ${PROPOSAL} FROM proposals
     WHERE (status IN ('PROPOSED', 'CONFIRMED') OR status IN ('DECLINED', 'EXPIRED') AND ended_at > :inVainSince)
       AND (CAST(:after AS uuid) IS NULL OR id < CAST(:after AS uuid))
     ORDER BY id DESC LIMIT :limit`,
    { inVainSince, after: after ?? null, limit },
  );
}
