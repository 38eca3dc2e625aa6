import type { Knex } from 'knex';
import { reasonOf } from './errors.ts';
import { execute } from './sql.ts';

/** Nothing could be tried: the database is away. No message is to blame. */
export class DatabaseLostError extends Error {
  override name = 'DatabaseLostError';
}

/** What a message's own work came to: undefined when it is committed. */
export type Failure = { error: unknown } | undefined;

/** A statement failed, and somebody caught its error and went on. */
class RolledBackError extends Error {
  override name = 'RolledBackError';
  override message = 'rolled back: a statement of the transaction had failed';
}

/** One transaction; rejects also where Postgres answered its COMMIT with a rollback and no error. */
export const transact = <T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> =>
  db.transaction((trx) => {
    refuseRollback(trx.client);
    return work(trx);
  });

/** What a transaction of knex asks by: of the answer to its COMMIT, knex itself tells nobody. */
interface Asking {
  query(connection: unknown, statement: unknown): Promise<{ response?: { command: string } }>;
}

function refuseRollback(client: Asking): void {
  const query = client.query.bind(client);
  client.query = async (connection, statement) => {
    const answered = await query(connection, statement);
    if (statement === 'COMMIT;' && answered.response?.command === 'ROLLBACK') throw new RolledBackError();
    return answered;
  };
}

/** Runs the work in one transaction and tells its own failure from a lost database. Rejects with DatabaseLostError only. */
export async function tryInTransaction(db: Knex, work: (trx: Knex.Transaction) => Promise<void>): Promise<Failure> {
  let failure: Failure;
  let worked = false;
  try {
    await transact(db, async (trx) => {
      failure = await failureOf(trx, work);
      if (failure !== undefined) throw failure.error;
      // knex comes here even when its BEGIN failed.
      worked = !trx.isCompleted();
    });
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseLostError) throw error;
    if (worked && isVerdict(error)) failure = { error };
    if (failure !== undefined && !isOutdatedPlan(failure.error)) return failure;
    throw new DatabaseLostError(reasonOf(error));
  }
}

/** Asks the very connection the work failed on, so that no handler's network error is taken for ours. */
async function failureOf(trx: Knex.Transaction, work: (trx: Knex.Transaction) => Promise<void>): Promise<Failure> {
  try {
    await work(trx);
    return undefined;
  } catch (error) {
    if (isBarred(error)) throw new DatabaseLostError(reasonOf(error));
    await execute(trx, 'SELECT 1').catch((refused: unknown) => {
      if (codeOf(refused) !== inFailedTransaction) throw new DatabaseLostError(reasonOf(error));
    });
    return { error };
  }
}

const inFailedTransaction = '25P02';

/** The server answers, and nobody can write there at the moment: its disk is full, or it is a standby. */
const isBarred = (error: unknown): boolean => isFromServer(error) && ['53100', '25006'].includes(codeOf(error) ?? '');

/**
 * What the server answers to a COMMIT and goes on after is about the work, of which deferred triggers and constraints do a part
 * only then; and it was rolled back, for once a commit is written down Postgres raises no error any more. What ends the
 * session with it, and what the server lacks just now, is nobody's fault; whether that COMMIT came to pass nobody knows.
 */
export const isVerdict = (error: unknown): boolean =>
  error instanceof RolledBackError || (isFromServer(error) && !/^(08|53|58|57P|25P0[34])/.test(codeOf(error) ?? ''));

/** A later version's migration changed a table under a prepared statement: tried again, as when the database was away. */
export const isOutdatedPlan = (error: unknown): boolean =>
  isFromServer(error) && error.routine === 'RevalidateCachedQuery';

const isFromServer = (error: unknown): error is Error & { routine: unknown } =>
  error instanceof Error && 'routine' in error;

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
