import { firstRow, rows, type Trx } from '@ops/service-kit/database';
import { lockKeys } from '@ops/service-kit/lock-keys';
import type { StoredRenewal } from '../renewals/renewal.rules.ts';
import type { Ending, Expiry, Told } from './expiry-reader.ts';

export interface Statement {
  renewal_id: string;
  assigned_agent: string | null;
  /** What is told now is newer than it. */
  is_older: boolean;
  /** It was told since that the policy or permit has ended. */
  is_ended: boolean;
}

/** Events about the same policy or permit take turns, whatever way they came. */
export const lockSource = (trx: Trx, { kind, source_id }: Told): Promise<void> =>
  lockKeys(trx, [`upstream:${kind}:${source_id}`]);

/** Which is older is decided here, where no digit of a fraction of a second is lost. */
export async function findStatement(
  trx: Trx,
  { kind, source_id, told_at, told_id }: Told,
): Promise<Statement | undefined> {
  return firstRow<Statement>(
    trx,
    `SELECT s.renewal_id, s.assigned_agent,
            (s.told_at, s.told_id) < (CAST(:told_at AS timestamptz), CAST(:told_id AS text) COLLATE "C") AS is_older,
            coalesce((s.told_at, s.told_id) < (e.told_at, e.told_id), false) AS is_ended
     FROM upstream_statements s LEFT JOIN upstream_endings e USING (kind, source_id)
     WHERE s.kind = :kind AND s.source_id = :source_id`,
    { kind, source_id, told_at, told_id },
  );
}

export async function saveStatement(trx: Trx, expiry: Expiry, renewal_id: string): Promise<void> {
  const { kind, source_id, assigned_agent, told_at, told_id } = expiry;
  await trx('upstream_statements')
    .insert({ kind, source_id, renewal_id, assigned_agent, told_at, told_id })
    .onConflict(['kind', 'source_id'])
    .merge();
}

/** Whether it was told later than this that the policy or permit has ended. */
export async function isOvertaken(trx: Trx, { kind, source_id, told_at, told_id }: Told): Promise<boolean> {
  const ending = await firstRow<{ is_newer: boolean }>(
    trx,
    `SELECT (e.told_at, e.told_id) > (CAST(:told_at AS timestamptz), CAST(:told_id AS text) COLLATE "C") AS is_newer
     FROM upstream_endings e WHERE e.kind = :kind AND e.source_id = :source_id`,
    { kind, source_id, told_at, told_id },
  );
  return ending?.is_newer ?? false;
}

export async function saveEnding(trx: Trx, { kind, source_id, told_at, told_id }: Ending): Promise<void> {
  await trx('upstream_endings').insert({ kind, source_id, told_at, told_id }).onConflict(['kind', 'source_id']).merge();
}

/** Active renewals that stand for it, that follow one of these, or that name it. */
export async function findConcerned(trx: Trx, { kind, source_id }: Ending): Promise<string[]> {
  const found = await rows<{ id: string }>(
    trx,
    `SELECT r.id FROM renewals r WHERE r.source_id = :source_id AND r.source_kind = :kind AND r.closed_at IS NULL
     UNION
     SELECT r.id FROM renewals p JOIN renewals r ON r.id = p.successor_id
     WHERE p.source_id = :source_id AND p.source_kind = :kind AND p.successor_made AND r.closed_at IS NULL
     UNION
     SELECT r.id FROM renewals r
     WHERE CAST(:kind AS text) = 'policy' AND r.policy_id = :source_id AND r.closed_at IS NULL`,
    { kind, source_id },
  );
  return found.map(({ id }) => id);
}

export async function labelOf(trx: Trx, service_type: string): Promise<string> {
  const type = await trx<{ code: string; label: string }>('service_types').where({ code: service_type }).first('label');
  return type?.label ?? service_type;
}

/** Open, and of nothing else that was told of; what names another policy is not taken from it. */
const FREE = `r.customer_id = :customer_id AND r.service_type = :service_type
  AND r.closed_at IS NULL AND r.source_kind IS NULL
  AND (CAST(:policy_id AS text) IS NULL OR r.policy_id IS NULL OR r.policy_id = :policy_id)`;

/** By what it is watched already, held against other changes: it names this very policy, or else is due on that date. */
export async function findWatched(trx: Trx, expiry: Expiry): Promise<string | undefined> {
  const { customer_id, service_type, policy_id, due_date } = expiry;
  const found = await firstRow<{ id: string }>(
    trx,
    `SELECT r.id FROM renewals r
     WHERE ${FREE} AND (r.policy_id = :policy_id OR r.due_date = CAST(:due_date AS date))
     ORDER BY coalesce(r.policy_id = :policy_id, false) DESC, abs(r.due_date - CAST(:due_date AS date)), r.id
     LIMIT 1 FOR NO KEY UPDATE OF r`,
    { customer_id, service_type, policy_id, due_date },
  );
  return found?.id;
}

/**
 * What awaits a new policy or permit, held against other changes: made when another was completed, as it was made, and not
 * alerted of. What was there before has a date that somebody gave it.
 */
export async function findAwaiting(trx: Trx, expiry: Expiry): Promise<string | undefined> {
  const { customer_id, service_type, policy_id, due_date } = expiry;
  const found = await firstRow<{ id: string }>(
    trx,
    `SELECT r.id FROM renewals r
     WHERE ${FREE} AND EXISTS (
       SELECT FROM renewals p
       WHERE p.id = r.predecessor_id AND p.successor_id = r.id AND p.successor_made AND p.successor_version = r.version
         AND p.due_date < CAST(:due_date AS date)
         AND NOT EXISTS (SELECT FROM alerts a
                         WHERE a.renewal_id = r.id AND a.state = 'FIRED' AND a.decided_at >= p.closed_at))
     ORDER BY abs(r.due_date - CAST(:due_date AS date)), r.id
     LIMIT 1 FOR NO KEY UPDATE OF r`,
    { customer_id, service_type, policy_id, due_date },
  );
  return found?.id;
}

/** The last of those a policy or permit is watched by, one after the other, and the one before. */
export interface Line {
  current: StoredRenewal;
  before: StoredRenewal | undefined;
}

/** A completed renewal of this policy or permit that is due on the date told or later: that date is of a term that is over. */
export async function findTermOver(trx: Trx, expiry: Expiry, line?: Line): Promise<string | undefined> {
  const { kind, source_id, customer_id, service_type, policy_id, due_date } = expiry;
  const found = await firstRow<{ id: string }>(
    trx,
    `SELECT r.id FROM renewals r
     WHERE r.customer_id = :customer_id AND r.service_type = :service_type AND r.status = 'COMPLETED'
       AND r.due_date >= CAST(:due_date AS date)
       AND (r.id = CAST(:before AS uuid)
            OR ((r.policy_id = :policy_id OR (r.source_kind = :kind AND r.source_id = :source_id))
                AND coalesce(r.due_date < CAST(:current AS date), true)))
     ORDER BY r.due_date DESC, r.id LIMIT 1`,
    {
      kind,
      source_id,
      customer_id,
      service_type,
      policy_id,
      due_date,
      before: line?.before?.id ?? null,
      current: line?.current.due_date ?? null,
    },
  );
  return found?.id;
}
