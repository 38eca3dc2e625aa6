import type { Merge } from '@ops/following/merge-service';
import { type Db, inTransaction, rows } from '@ops/service-kit/database';
import type { Deps } from '../src/deps.ts';
import { followCustomers } from '../src/renewals/customer-agent-service.ts';

/** What comms-service tells of ids, each with its version. */
export const mergesAt = (db: Db, deps: Deps) => ({
  follow: (...merges: Merge[]) => inTransaction(db, (trx) => followCustomers(deps, trx, { facts: [], merges })),
});

/** Rows that are not the customer's whom the id they were written under leads to; there may never be any. */
export const astray = (db: Db): Promise<unknown[]> =>
  rows(
    db,
    `SELECT 'renewal' AS what, id, customer_id, written_under FROM renewals
     WHERE customer_id <> leads_to(coalesce(written_under, customer_id))
     UNION ALL
     SELECT 'agent', r.id, r.customer_id, r.written_under
     FROM renewals r LEFT JOIN followed_customers f ON f.customer_id = r.customer_id
     WHERE f.customer_id IS NULL OR r.customer_agent IS DISTINCT FROM f.assigned_agent
     UNION ALL
     SELECT 'flag', f.id, f.customer_id, r.customer_id
     FROM compliance_flags f JOIN renewals r ON r.id = f.renewal_id WHERE f.customer_id <> r.customer_id`,
    {},
  );
