import type { RenewalImportRow } from '@ops/contracts/resources/import';
import type { Db, Trx } from '@ops/service-kit/database';

/** Which renewals each row is about, by the place of the row. */
export interface Related {
  n: number;
  id: string;
  by_external_id: boolean;
}

/**
 * Those its external id is known to stand for; else those of the same policy, or without one of the same date. A row with
 * an external id takes none of these that is known by another. Then what followed them.
 */
export async function findRelated(db: Db | Trx, rows: readonly RenewalImportRow[]): Promise<Related[]> {
  const asked = rows.map(({ customer_id, service_type, due_date, policy_id, external_id }, n) => ({
    ...{ n, customer_id, service_type, due_date, policy_id, external_id },
  }));
  const { rows: related } = await db.raw(
    `WITH RECURSIVE asked AS (
       SELECT * FROM json_to_recordset(CAST(:asked AS json))
         AS a (n integer, customer_id text, service_type text, due_date date, policy_id text, external_id text)
     ), known AS (
       SELECT a.n, e.renewal_id AS id FROM asked a JOIN external_ids e ON e.external_id = a.external_id
     ), alike AS (
       SELECT a.n, r.id
       FROM asked a
       -- Each way by its index: a customer may have thousands.
       JOIN LATERAL (
         SELECT * FROM renewals WHERE customer_id = a.customer_id AND policy_id = a.policy_id
         UNION ALL
         SELECT * FROM renewals WHERE customer_id = a.customer_id AND due_date = a.due_date AND a.policy_id IS NULL
       ) r ON r.service_type = a.service_type
       WHERE NOT EXISTS (SELECT FROM known k WHERE k.n = a.n)
         AND (a.external_id IS NULL OR NOT EXISTS (
           WITH RECURSIVE before AS (
             SELECT r.id, r.predecessor_id
             UNION SELECT p.id, p.predecessor_id FROM before b JOIN renewals p ON p.id = b.predecessor_id
           )
           SELECT FROM before b JOIN external_ids e ON e.renewal_id = b.id))
     ), family (n, id, by_external_id) AS (
       (SELECT n, id, true FROM known UNION ALL SELECT n, id, false FROM alike)
       UNION
       SELECT f.n, r.successor_id, f.by_external_id FROM family f JOIN renewals r ON r.id = f.id
       WHERE r.successor_id IS NOT NULL
     )
     SELECT n, id, by_external_id FROM family`,
    { asked: JSON.stringify(asked) },
  );
  return related;
}

/** Of those that have one; a renewal has one id at most, and keeps it. */
export async function rememberIds(
  trx: Trx,
  ids: readonly { external_id: string; renewal_id: string }[],
): Promise<void> {
  if (ids.length > 0) await trx('external_ids').insert([...ids]);
}
