import type { Trx } from '@ops/service-kit/database';
import type { Followed } from './planning.ts';

/**
 * Takes in what an event tells of renewals, unless something newer is known, and answers how they stand. Their rows are
 * locked from here on, known before or not, in the order of ids: whoever plans about a renewal and whoever closes it take
 * turns.
 */
export async function learn(
  trx: Trx,
  facts: readonly Followed[],
  wins: { overTheSameVersion: boolean },
): Promise<Map<string, Followed>> {
  const newest = newestOfEach(facts);
  await trx.raw(
    `INSERT INTO followed_renewals AS f
       (renewal_id, customer_id, due_date, status, assigned_agent, reminders, version)
     SELECT renewal_id, customer_id, due_date, status, assigned_agent, reminders, version
     FROM jsonb_to_recordset(CAST(:facts AS jsonb))
       AS t (renewal_id uuid, customer_id text, due_date date, status text, assigned_agent text, reminders text,
             version integer)
     ORDER BY renewal_id
     ON CONFLICT (renewal_id) DO UPDATE
     SET customer_id = excluded.customer_id, due_date = excluded.due_date, status = excluded.status,
         assigned_agent = excluded.assigned_agent, reminders = excluded.reminders, version = excluded.version
     WHERE f.version < excluded.version + CAST(:wins AS integer)`,
    { facts: JSON.stringify(newest), wins: wins.overTheSameVersion ? 1 : 0 },
  );
  return find(
    trx,
    newest.map(({ renewal_id }) => renewal_id),
  );
}

function newestOfEach(facts: readonly Followed[]): Followed[] {
  const newest = new Map<string, Followed>();
  for (const fact of facts)
    if (fact.version >= (newest.get(fact.renewal_id)?.version ?? 0)) newest.set(fact.renewal_id, fact);
  return [...newest.values()];
}

/** As they were last told of; nobody plans or closes about them meanwhile. */
export async function lockRenewals(trx: Trx, ids: readonly string[]): Promise<Map<string, Followed>> {
  const rows: Followed[] = await trx('followed_renewals').whereIn('renewal_id', ids).orderBy('renewal_id').forUpdate();
  return new Map(rows.map((row) => [row.renewal_id, row]));
}

async function find(trx: Trx, ids: readonly string[]): Promise<Map<string, Followed>> {
  const rows: Followed[] = await trx('followed_renewals').whereIn('renewal_id', ids);
  return new Map(rows.map((row) => [row.renewal_id, row]));
}
