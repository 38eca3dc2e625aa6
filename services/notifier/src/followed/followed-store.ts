import { execute, type Trx } from '@ops/service-kit/database';
import type { Followed } from './followed.rules.ts';

/** Each once; they are locked in the order of ids, known before or not. */
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
     SET customer_id = excluded.customer_id, due_date = excluded.due_date, status = excluded.status,
         assigned_agent = excluded.assigned_agent, reminders = excluded.reminders, hold = excluded.hold,
         version = excluded.version
     WHERE f.version < excluded.version + CAST(:wins AS integer)`,
    { facts: JSON.stringify(facts), wins: wins.overTheSameVersion ? 1 : 0 },
  );
}

export const lockRenewals = (trx: Trx, ids: readonly string[]): Promise<Followed[]> =>
  trx<Followed>('followed_renewals').whereIn('renewal_id', ids).orderBy('renewal_id').forUpdate();

export const findRenewals = (trx: Trx, ids: readonly string[]): Promise<Followed[]> =>
  trx<Followed>('followed_renewals').whereIn('renewal_id', ids);
