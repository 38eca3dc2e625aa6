import type { Trx } from '@ops/service-kit/database';
import type { Expiry } from './expiry.ts';

export interface Word {
  renewal_id: string;
  assigned_agent: string | null;
  /** What is told now is newer than it. */
  is_older: boolean;
}

/** Events about the same policy or permit take turns, whatever way they came. */
export async function lockSource(trx: Trx, { kind, source_id }: Expiry): Promise<void> {
  await trx.raw(`SELECT pg_advisory_xact_lock(hashtextextended('upstream:' || :key, 0))`, {
    key: `${kind}:${source_id}`,
  });
}

/** Which is older is decided here, where no digit of a fraction of a second is lost. */
export async function findWord(trx: Trx, { kind, source_id, told_at, told_id }: Expiry): Promise<Word | undefined> {
  const { rows } = await trx.raw(
    `SELECT w.renewal_id, w.assigned_agent,
            (w.told_at, w.told_id) < (CAST(:told_at AS timestamptz), CAST(:told_id AS text) COLLATE "C") AS is_older
     FROM upstream_words w WHERE w.kind = :kind AND w.source_id = :source_id`,
    { kind, source_id, told_at, told_id },
  );
  return rows[0];
}

export async function saveWord(trx: Trx, expiry: Expiry, renewal_id: string): Promise<void> {
  const { kind, source_id, assigned_agent, told_at, told_id } = expiry;
  await trx('upstream_words')
    .insert({ kind, source_id, renewal_id, assigned_agent, told_at, told_id })
    .onConflict(['kind', 'source_id'])
    .merge();
}

/**
 * The open renewal that a policy or permit heard of for the first time is about, held against other changes: one that
 * names this very policy, or one that followed a renewal of that customer and service type, as it was when it followed
 * and not alerted of. One that stands for another policy or permit, or names another policy, is not taken from it.
 */
export async function findAdoptable(trx: Trx, expiry: Expiry): Promise<string | undefined> {
  const { customer_id, service_type, policy_id, due_date } = expiry;
  const { rows } = await trx.raw(
    `SELECT r.id FROM renewals r
     WHERE r.customer_id = :customer_id AND r.service_type = :service_type AND r.closed_at IS NULL
       AND r.source_kind IS NULL
       AND (CAST(:policy_id AS text) IS NULL OR r.policy_id IS NULL OR r.policy_id = :policy_id)
       AND (r.policy_id = :policy_id OR EXISTS (
         SELECT FROM renewals p
         WHERE p.id = r.predecessor_id AND p.successor_id = r.id AND p.successor_version = r.version
           AND p.due_date < CAST(:due_date AS date)
           AND NOT EXISTS (SELECT FROM alerts a
                           WHERE a.renewal_id = r.id AND a.state = 'FIRED' AND a.decided_at >= p.closed_at)))
     ORDER BY coalesce(r.policy_id = :policy_id, false) DESC, abs(r.due_date - CAST(:due_date AS date)), r.id
     LIMIT 1 FOR NO KEY UPDATE OF r`,
    { customer_id, service_type, policy_id, due_date },
  );
  return rows[0]?.id;
}
