import type { Db } from '@ops/service-kit/database';

/** How many statements of this database wait for a lock somebody else holds. */
export async function lockWaits(db: Db): Promise<number> {
  const { rows } = await db.raw(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0].waiting;
}
