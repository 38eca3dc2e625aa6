import { execute, rows, type Trx } from '@ops/service-kit/database';

export interface Moving {
  id: string;
  customer_id: string;
  leads_to: string;
}

/** Renewals made under these ids that are not yet, or no longer, whose those are; in the order of ids, as everybody locks them. */
export async function lockWrittenUnder(trx: Trx, ids: readonly string[]): Promise<Moving[]> {
  return rows<Moving>(
    trx,
    `SELECT r.id, r.customer_id, w.leads_to
     FROM renewals r
     JOIN (SELECT id, leads_to(id) FROM unnest(CAST(:ids AS text[])) AS these (id)) w
       ON w.id = coalesce(r.written_under, r.customer_id)
     WHERE (r.written_under = ANY (CAST(:ids AS text[]))
            OR r.written_under IS NULL AND r.customer_id = ANY (CAST(:ids AS text[])))
       AND r.customer_id <> w.leads_to
     ORDER BY r.id FOR NO KEY UPDATE OF r`,
    { ids },
  );
}

/** Whoever follows them to another agent comes before, or finds what is theirs by then. */
export async function holdCustomers(trx: Trx, customerIds: readonly string[]): Promise<void> {
  await execute(
    trx,
    `INSERT INTO followed_customers (customer_id)
     SELECT id FROM unnest(CAST(:ids AS text[])) AS these (id) ORDER BY id ON CONFLICT DO NOTHING`,
    { ids: customerIds },
  );
}

export async function moveRenewals(trx: Trx, renewalIds: readonly string[]): Promise<void> {
  await execute(
    trx,
    `UPDATE renewals SET written_under = coalesce(written_under, customer_id),
            customer_id = leads_to(coalesce(written_under, customer_id))
     WHERE id = ANY (CAST(:ids AS uuid[]))`,
    { ids: renewalIds },
  );
}
