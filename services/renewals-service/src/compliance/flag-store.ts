import type { PlainDate } from '@ops/contracts/dates';
import type { ComplianceFlag, ComplianceFlagQuery } from '@ops/contracts/resources/renewal';
import { type Db, execute, rows, type Trx } from '@ops/service-kit/database';

export type ClearedBecause = NonNullable<ComplianceFlag['cleared_because']>;

/** There is one open flag at most. */
export async function clearFlag(trx: Trx, renewalId: string, because: ClearedBecause, now: Date): Promise<void> {
  await trx('compliance_flags')
    .where({ renewal_id: renewalId, cleared_at: null })
    .update({ cleared_at: now, cleared_because: because });
}

/** Takes back the clearing that went with closing an overdue renewal. Its customer is named for the index. */
export async function restoreFlag(trx: Trx, renewal: { id: string; customer_id: string }): Promise<void> {
  await execute(
    trx,
    `UPDATE compliance_flags SET cleared_at = NULL, cleared_because = NULL
     WHERE id = (SELECT f.id FROM compliance_flags f
                 WHERE f.customer_id = :customer_id AND f.renewal_id = :id
                   AND f.cleared_because IN ('completed', 'cancelled')
                 ORDER BY f.raised_at DESC, f.id DESC LIMIT 1)`,
    { id: renewal.id, customer_id: renewal.customer_id },
  );
}

/** The open flag says which date passed. */
export async function redateFlag(trx: Trx, renewalId: string, dueDate: PlainDate): Promise<void> {
  await trx('compliance_flags').where({ renewal_id: renewalId, cleared_at: null }).update({ due_date: dueDate });
}

/** Flags go along with their renewals, which were these customers'. */
export async function moveFlags(trx: Trx, renewalIds: readonly string[], from: readonly string[]): Promise<void> {
  await execute(
    trx,
    `UPDATE compliance_flags f SET customer_id = r.customer_id
     FROM renewals r
     WHERE r.id = ANY (CAST(:ids AS uuid[])) AND f.renewal_id = r.id AND f.customer_id = ANY (CAST(:from AS text[]))
       AND f.customer_id <> r.customer_id`,
    { ids: renewalIds, from },
  );
}

export interface FlagListing {
  customerId: string;
  state: ComplianceFlagQuery['state'];
  after: { raisedAt: string; id: string } | undefined;
  limit: number;
}

export async function listFlags(db: Db, { customerId, state, after, limit }: FlagListing): Promise<ComplianceFlag[]> {
  return rows<ComplianceFlag>(
    db,
    `SELECT f.id, f.customer_id, f.renewal_id, r.service_type, f.due_date,
            CASE WHEN f.cleared_at IS NULL THEN 'open' ELSE 'cleared' END AS state,
            utc_text(f.raised_at) AS raised_at, utc_text(f.cleared_at) AS cleared_at, f.cleared_because
     FROM compliance_flags f JOIN renewals r ON r.id = f.renewal_id
     WHERE f.customer_id = :customer_id
       AND (CAST(:open AS boolean) IS NULL OR (f.cleared_at IS NULL) = :open)
       AND (CAST(:after_at AS timestamptz) IS NULL
            OR (f.raised_at, f.id) < (CAST(:after_at AS timestamptz), CAST(:after_id AS uuid)))
     ORDER BY f.raised_at DESC, f.id DESC LIMIT :limit`,
    {
      customer_id: customerId,
      open: state === undefined ? null : state === 'open',
      after_at: after?.raisedAt ?? null,
      after_id: after?.id ?? null,
      limit,
    },
  );
}
