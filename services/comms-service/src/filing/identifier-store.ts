import { type Db, execute, rows, type Trx } from '@ops/service-kit/database';
import type { Held, Learned, SenderIdentifier } from './matching.rules.ts';

/** Tells these locks from others of this database. */
const LOCKS = 3;

/**
 * Until the transaction ends, nobody else takes in, links or gives what these keys stand for. Always in one order, so
 * that two batches with the same senders wait instead of deadlocking.
 */
export async function lockKeys(trx: Trx, keys: readonly string[]): Promise<void> {
  await execute(
    trx,
    `SELECT pg_advisory_xact_lock(${LOCKS}, lock)
     FROM (SELECT DISTINCT hashtext(key) AS lock FROM unnest(CAST(:keys AS text[])) key ORDER BY lock) ordered`,
    { keys },
  );
}

/** Who has them, exactly as they are written, whom that id leads to, and the link that alone says so. */
export async function findHolders(db: Db | Trx, wanted: readonly SenderIdentifier[]): Promise<Held[]> {
  return rows<Held>(
    db,
    `SELECT i.kind, i.value, k.id AS customer_id, coalesce(k.leads_to, k.id) AS home,
            CASE WHEN bool_and(i.link_id IS NOT NULL) THEN min(i.link_id::text) END AS link_id
     FROM (SELECT DISTINCT kind, value FROM jsonb_to_recordset(CAST(:wanted AS jsonb)) AS (kind text, value text)) w
     JOIN identifiers i ON i.kind = w.kind AND i.value = w.value
     JOIN customers k ON k.id = coalesce(i.brought_by, i.customer_id)
     GROUP BY i.kind, i.value, k.id
     ORDER BY k.id`,
    { wanted: JSON.stringify(wanted) },
  );
}

/** After those the customer has. */
export async function learnIdentifiers(trx: Trx, learned: readonly Learned[]): Promise<void> {
  if (learned.length === 0) return;
  await execute(
    trx,
    `INSERT INTO identifiers (customer_id, kind, value, source, position, link_id)
     SELECT l.customer_id, l.kind, l.value, 'learned', l.n + (
              SELECT coalesce(max(i.position), 0) FROM identifiers i
              WHERE i.customer_id = l.customer_id AND i.kind = l.kind AND i.source = 'learned'), l.link_id
     FROM ROWS FROM (jsonb_to_recordset(CAST(:learned AS jsonb))
                     AS (customer_id text, kind text, value text, link_id uuid))
          WITH ORDINALITY AS l (customer_id, kind, value, link_id, n)
     ON CONFLICT DO NOTHING`,
    { learned: JSON.stringify(learned) },
  );
}

/** Whose identifiers the link had taught us. */
export async function forgetLink(trx: Trx, link: string): Promise<string[]> {
  const forgotten = await trx<Learned>('identifiers').where({ link_id: link }).delete().returning('customer_id');
  return forgotten.map((row) => row.customer_id);
}
