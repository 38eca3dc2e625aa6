import { holdMerges } from '@ops/following/merge-service';
import { execute, type Trx } from '@ops/service-kit/database';
import { type Followed, writtenUnder } from './followed.rules.ts';

/**
 * Each once; they are locked in the order of ids, known before or not. Whose it is, is for us to say: it may be told by somebody
 * who has not heard of a merge yet, or by the version before, which does not say under which id it was made.
 */
export async function keepNewer(
  trx: Trx,
  facts: readonly Followed[],
  wins: { overTheSameVersion: boolean },
): Promise<void> {
  await execute(
    trx,
    `INSERT INTO followed_renewals AS f
       (renewal_id, customer_id, due_date, status, assigned_agent, reminders, hold, version)
     SELECT renewal_id, customer_id, due_date, status, assigned_agent, reminders, hold, version
     FROM jsonb_to_recordset(CAST(:facts AS jsonb))
       AS t (renewal_id uuid, customer_id text, due_date date, status text, assigned_agent text, reminders text,
             hold jsonb, version integer)
     ORDER BY renewal_id
     ON CONFLICT (renewal_id) DO UPDATE
     SET customer_id = excluded.customer_id,
         written_under = coalesce(excluded.written_under,
                                  CASE WHEN excluded.customer_id = f.customer_id THEN f.written_under END),
         due_date = excluded.due_date, status = excluded.status,
         assigned_agent = excluded.assigned_agent, reminders = excluded.reminders, hold = excluded.hold,
         version = excluded.version
     WHERE f.version < excluded.version + CAST(:wins AS integer)`,
    {
      facts: JSON.stringify(facts.map((one) => ({ ...one, customer_id: writtenUnder(one) }))),
      wins: wins.overTheSameVersion ? 1 : 0,
    },
  );
}

/** Whose they are stays so too: whoever follows a merge comes before, or waits. */
export async function lockRenewals(trx: Trx, ids: readonly string[]): Promise<Followed[]> {
  await holdMerges(trx);
  return trx<Followed>('followed_renewals').whereIn('renewal_id', ids).orderBy('renewal_id').forUpdate();
}

/** Those that were made under these ids and are not yet, or no longer, whose those are. */
export async function moveWrittenUnder(trx: Trx, ids: readonly string[]): Promise<void> {
  await execute(
    trx,
    `WITH moving AS (
       SELECT f.renewal_id FROM followed_renewals f
       WHERE f.written_under = ANY (CAST(:ids AS text[]))
          OR f.written_under IS NULL AND f.customer_id = ANY (CAST(:ids AS text[]))
       ORDER BY f.renewal_id FOR UPDATE
     )
     UPDATE followed_renewals f SET written_under = coalesce(f.written_under, f.customer_id),
            customer_id = leads_to(coalesce(f.written_under, f.customer_id))
     FROM moving
     WHERE f.renewal_id = moving.renewal_id AND f.customer_id <> leads_to(coalesce(f.written_under, f.customer_id))`,
    { ids },
  );
}

export const findRenewals = (trx: Trx, ids: readonly string[]): Promise<Followed[]> =>
  trx<Followed>('followed_renewals').whereIn('renewal_id', ids);
