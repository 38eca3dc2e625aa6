import { execute, type Trx } from './database.ts';

/**
 * Whoever holds these keys works alone on what they stand for, until the transaction ends. Always in one order, so that two
 * that hold several wait instead of deadlocking.
 */
export async function lockKeys(trx: Trx, keys: readonly string[]): Promise<void> {
  await execute(
    trx,
    `SELECT pg_advisory_xact_lock(lock)
     FROM (SELECT DISTINCT hashtextextended(key, 0) AS lock
           FROM unnest(CAST(:keys AS text[])) key ORDER BY lock) ordered`,
    { keys },
  );
}
