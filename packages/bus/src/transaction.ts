import type { Knex } from 'knex';
import { reasonOf } from './errors.ts';

/** Nothing could be tried: the database is away. No message is to blame. */
export class DatabaseLostError extends Error {
  override name = 'DatabaseLostError';
}

/** What a message's own work came to: undefined when it is committed. */
export type Failure = { error: unknown } | undefined;

/**
 * Runs the work in one transaction and tells its own failure from a lost database by asking the very connection it
 * ran on, so that no handler's network error is taken for ours. Rejects with DatabaseLostError only.
 */
export async function tryInTransaction(db: Knex, work: (trx: Knex.Transaction) => Promise<void>): Promise<Failure> {
  let failure: Failure;
  try {
    await db.transaction(async (trx) => {
      failure = await failureOf(trx, work);
      if (failure !== undefined) throw failure.error;
    });
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseLostError) throw error;
    if (failure === undefined && isOwn(error)) failure = { error };
    if (failure !== undefined && !isOutdatedPlan(failure.error)) return failure;
    throw new DatabaseLostError(reasonOf(error));
  }
}

/**
 * The last question also catches a handler that swallowed a failed statement: Postgres would answer its COMMIT
 * with a rollback and no error.
 */
async function failureOf(trx: Knex.Transaction, work: (trx: Knex.Transaction) => Promise<void>): Promise<Failure> {
  let failure: Failure;
  try {
    await work(trx);
  } catch (error) {
    failure = { error };
  }
  try {
    await trx.raw('select 1');
  } catch (error) {
    if (codeOf(error) !== inFailedTransaction) throw new DatabaseLostError(reasonOf(failure?.error ?? error));
    failure ??= { error };
  }
  return failure;
}

const inFailedTransaction = '25P02';

/** A COMMIT refused with a verdict on the work (a deferred constraint, a serialization failure), not on the server. */
const isOwn = (error: unknown): boolean => /^(23|40|44)[0-9A-Z]{3}$/.test(codeOf(error) ?? '');

/** A later version's migration changed a table under a prepared statement: tried again, as when the database was away. */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery';

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
