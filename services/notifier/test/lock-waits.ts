import type { Db } from '@ops/service-kit/database';

/** How many statements of this database wait for a lock somebody else holds. */
export async function lockWaits(db: Db): Promise<number> {
  const { rows } = await db.raw(
    `select count(*)::int as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].waiting;
}
