import { type Db, execute, rows, type Trx } from '@ops/service-kit/database';

/** A customer as comms-service last told of it, as far as it is followed. */
export interface FollowedCustomer {
  customer_id: string;
  assigned_agent: string | null;
  version: number;
}

/** Each once; they are locked in the order of ids, known before or not. */
export async function keepNewer(trx: Trx, facts: readonly FollowedCustomer[]): Promise<void> {
  await execute(
    trx,
    `INSERT INTO followed_customers AS f (customer_id, assigned_agent, version)
     SELECT customer_id, assigned_agent, version
     FROM jsonb_to_recordset(CAST(:facts AS jsonb)) AS t (customer_id text, assigned_agent text, version integer)
     ORDER BY customer_id
     ON CONFLICT (customer_id) DO UPDATE SET assigned_agent = excluded.assigned_agent, version = excluded.version
     WHERE coalesce(f.version, 0) < excluded.version`,
    { facts: JSON.stringify(facts) },
  );
}

export async function agentOf(db: Db | Trx, customer_id: string): Promise<string | null> {
  const known = await db<FollowedCustomer>('followed_customers').where({ customer_id }).first('assigned_agent');
  return known?.assigned_agent ?? null;
}

export async function findUnheard(db: Db, limit: number): Promise<string[]> {
  const found = await rows<{ customer_id: string }>(
    db,
    'SELECT customer_id FROM followed_customers WHERE version IS NULL ORDER BY customer_id LIMIT :limit',
    { limit },
  );
  return found.map(({ customer_id }) => customer_id);
}

/** Nobody knew them when they were asked for: whoever makes one of them known tells it. */
export async function noteUnknown(trx: Trx, ids: readonly string[]): Promise<void> {
  await execute(
    trx,
    'UPDATE followed_customers SET version = 0 WHERE customer_id = ANY (CAST(:ids AS text[])) AND version IS NULL',
    { ids },
  );
}
