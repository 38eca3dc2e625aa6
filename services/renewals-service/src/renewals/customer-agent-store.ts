import type { PlainDate } from '@ops/contracts/dates';
import type { FollowedCustomer } from '@ops/following/customer-service';
import { execute, rows, type Trx } from '@ops/service-kit/database';

/**
 * Each customer once. Renewals are taken before their customer, as by whoever completes one and makes the next: the two
 * would wait for each other.
 */
export async function lockRenewalsOf(trx: Trx, facts: readonly FollowedCustomer[]): Promise<void> {
  await execute(
    trx,
    `SELECT 1 FROM renewals r
     JOIN jsonb_to_recordset(CAST(:facts AS jsonb)) AS t (customer_id text, assigned_agent text)
       ON t.customer_id = r.customer_id
          AND (r.customer_agent IS DISTINCT FROM t.assigned_agent OR r.known_after_alert = false)
     ORDER BY r.id FOR NO KEY UPDATE OF r`,
    { facts: JSON.stringify(facts) },
  );
}

/** Answers the renewals that did not know it. */
export async function passOnAgents(trx: Trx, customerIds: readonly string[]): Promise<string[]> {
  const changed = await rows<{ id: string }>(
    trx,
    `UPDATE renewals r SET customer_agent = f.assigned_agent
     FROM followed_customers f
     WHERE r.customer_id = ANY (CAST(:ids AS text[])) AND f.customer_id = r.customer_id
       AND r.customer_agent IS DISTINCT FROM f.assigned_agent
     RETURNING r.id`,
    { ids: customerIds },
  );
  return changed.map(({ id }) => id);
}

/** The next refresh tells them what their newest alert had nobody to tell. */
export async function noteDescribed(trx: Trx, customerIds: readonly string[], today: PlainDate): Promise<void> {
  await execute(
    trx,
    `UPDATE renewals SET known_after_alert = true, next_alert_on = least(next_alert_on, CAST(:today AS date))
     WHERE customer_id = ANY (CAST(:ids AS text[])) AND known_after_alert = false AND closed_at IS NULL`,
    { ids: customerIds, today },
  );
}

/** Of these customers those whom somebody has described. Whoever follows one of the others waits for this transaction. */
export async function describedOf(trx: Trx, customerIds: readonly string[]): Promise<Set<string>> {
  if (customerIds.length === 0) return new Set();
  const followed = await rows<FollowedCustomer>(
    trx,
    `SELECT customer_id, version FROM followed_customers
     WHERE customer_id = ANY (CAST(:ids AS text[])) ORDER BY customer_id FOR SHARE`,
    { ids: customerIds },
  );
  return new Set(followed.filter(({ version }) => version > 0).map(({ customer_id }) => customer_id));
}
