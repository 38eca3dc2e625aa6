import type { RenewalImportRow } from '@ops/contracts/resources/import';
import { type Db, rows, type Trx } from '@ops/service-kit/database';
import { lockKeys } from '@ops/service-kit/lock-keys';

/** Which renewals each row is about, by the place of the row. */
export interface Related {
  n: number;
  id: string;
  by_external_id: boolean;
}

/**
 * Those its external id is known to stand for; unless one of these is open, those of the same policy, or without one of the
 * same date. Then what came before and after these. A row with an external id takes none that is known by another.
 */
export async function findRelated(db: Db | Trx, given: readonly RenewalImportRow[]): Promise<Related[]> {
  const asked = given.map(({ customer_id, service_type, due_date, policy_id, external_id }, n) => ({
    n,
    customer_id,
    service_type,
    due_date,
    policy_id,
    external_id,
  }));
  return rows<Related>(
    db,
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
       LEFT JOIN external_ids e ON e.renewal_id = r.id
       WHERE NOT EXISTS (SELECT FROM known k JOIN renewals o ON o.id = k.id WHERE k.n = a.n AND o.closed_at IS NULL)
         AND (coalesce(e.external_id, external_id_of(r.id)) <> a.external_id) IS NOT TRUE
     ), family (n, id, by_external_id) AS (
       (SELECT n, id, true FROM known UNION ALL SELECT n, id, false FROM alike)
       UNION
       SELECT f.n, s.id, f.by_external_id
       FROM family f
       JOIN asked a ON a.n = f.n
       JOIN renewals r ON r.id = f.id
       JOIN renewals s ON s.id = ANY (ARRAY[r.predecessor_id, r.successor_id])
       WHERE (external_id_of(s.id) <> a.external_id) IS NOT TRUE
     )
     SELECT n, id, by_external_id FROM family`,
    { asked: JSON.stringify(asked) },
  );
}

/** Two imports that bring the same id for different customers take turns. Taken after the watches, which come first. */
export const lockIds = (trx: Trx, rows: readonly RenewalImportRow[]): Promise<void> =>
  lockKeys(
    trx,
    rows.flatMap(({ external_id }) => (external_id === undefined ? [] : `external ids:${external_id}`)),
  );

/** A renewal has one id at most, and keeps it. */
export async function rememberIds(
  trx: Trx,
  ids: readonly { external_id: string; renewal_id: string }[],
): Promise<void> {
  if (ids.length > 0)
    await trx('external_ids')
      .insert([...ids])
      .onConflict('renewal_id')
      .ignore();
}
