import { type Db, execute, rows, type Trx } from '@ops/service-kit/database';

/** What was decided last of an id of a customer: whose it is, or null, its own again. */
export interface Merge {
  customer_id: string;
  into: string | null;
  version: number;
}

const TOLD = `jsonb_to_recordset(CAST(:merges AS jsonb)) AS t (customer_id text, "into" text, version integer)`;

export async function isAnyNew(db: Db | Trx, merges: readonly Merge[]): Promise<boolean> {
  const fresh = await rows(
    db,
    `SELECT FROM ${TOLD} LEFT JOIN customer_aliases a USING (customer_id) WHERE coalesce(a.version, 0) < t.version LIMIT 1`,
    { merges: JSON.stringify(merges) },
  );
  return fresh.length > 0;
}

/**
 * Waits for all who write for a customer, whoever it is, and holds them off: taken before any row, so that the two do not
 * wait for each other. Merges are few, and what writes is short.
 */
export const lockMerges = (trx: Trx): Promise<unknown> =>
  execute(trx, 'SELECT pg_advisory_xact_lock(merges_lock())', {});

/** Whom ids lead to stays so until the transaction ends. Taken before any row, and after what this transaction follows itself. */
export const holdMerges = (trx: Trx): Promise<unknown> =>
  execute(trx, 'SELECT pg_advisory_xact_lock_shared(merges_lock())', {});

/** Each once; answers those that were news. */
export async function keepNewer(trx: Trx, merges: readonly Merge[]): Promise<string[]> {
  const kept = await rows<{ customer_id: string }>(
    trx,
    `INSERT INTO customer_aliases AS a (customer_id, merged_into, version)
     SELECT customer_id, "into", version FROM ${TOLD} WHERE true
     ON CONFLICT (customer_id) DO UPDATE SET merged_into = excluded.merged_into, version = excluded.version
     WHERE a.version < excluded.version
     RETURNING a.customer_id`,
    { merges: JSON.stringify(merges) },
  );
  return kept.map(({ customer_id }) => customer_id);
}

/** These ids, and those that lead by way of them. */
export async function leadingBy(trx: Trx, ids: readonly string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(
    trx,
    `WITH RECURSIVE these (id) AS (
       SELECT unnest(CAST(:ids AS text[])) COLLATE "C"
       UNION
       SELECT a.customer_id FROM customer_aliases a JOIN these ON a.merged_into = these.id
     ) SELECT id FROM these ORDER BY id`,
    { ids },
  );
  return found.map(({ id }) => id);
}

/** Whom each of these ids leads to, as far as was heard; of most nothing was. */
export async function leads(db: Db | Trx, ids: readonly string[]): Promise<(id: string) => string> {
  const found = await rows<{ id: string; leads_to: string }>(
    db,
    `SELECT customer_id AS id, leads_to(customer_id) FROM customer_aliases
     WHERE customer_id = ANY (ARRAY(SELECT unnest(CAST(:ids AS text[]))))`,
    { ids: [...new Set(ids)] },
  );
  const known = new Map(found.map(({ id, leads_to }) => [id, leads_to]));
  return (id) => known.get(id) ?? id;
}
