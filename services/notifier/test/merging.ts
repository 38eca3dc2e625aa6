import type { Merge } from '@ops/following/merge-service';
import { type Db, inTransaction, rows } from '@ops/service-kit/database';
import type { Deps } from '../src/deps.ts';
import { followCustomers } from '../src/tasks/task-service.ts';

/** What comms-service tells of ids, each with its version. */
export const mergesAt = (db: Db, deps: Deps) => ({
  follow: (...merges: Merge[]) => inTransaction(db, (trx) => followCustomers(deps, trx, { facts: [], merges })),
});

/** Rows that are not the customer's whom the id they were written under leads to; there may never be any. */
export const astray = (db: Db): Promise<unknown[]> =>
  rows(
    db,
    `SELECT 'renewal' AS what, renewal_id AS id, customer_id, written_under FROM followed_renewals
     WHERE customer_id <> leads_to(coalesce(written_under, customer_id))
     UNION ALL
     SELECT 'task', id, customer_id, written_under FROM tasks
     WHERE customer_id <> leads_to(coalesce(written_under, customer_id))
     UNION ALL
     SELECT 'task beside its renewal', t.id, t.customer_id, f.customer_id
     FROM tasks t JOIN followed_renewals f USING (renewal_id) WHERE t.customer_id <> f.customer_id
     UNION ALL
     SELECT 'send', id, customer_id, written_under FROM sends
     WHERE status = 'QUEUED' AND customer_id <> leads_to(coalesce(written_under, customer_id))
     UNION ALL
     SELECT 'action', a.id, a.customer_id, f.customer_id
     FROM alert_actions a JOIN followed_renewals f USING (renewal_id) WHERE a.customer_id <> f.customer_id`,
    {},
  );
