import { isVerdict } from '@ops/bus/transaction';
import { type Db, inTransaction, type Trx } from '../database/database.ts';
import { isDatabaseAway, isDatabaseUnavailable } from '../database/database-errors.ts';
import { asProblemError } from '../errors.ts';
import { togetherOrAlone } from '../process/gathering.ts';
import type { Answer } from './http-answers.ts';

interface SharedOptions<One> {
  db: Db;
  /** All of them, and the answer to each in their order; or it rejects. What it waits for, the others of a batch wait for too. */
  write(trx: Trx, all: readonly One[]): Promise<readonly Answer[]>;
  /** In a transaction of its own. */
  alone(one: One): Promise<Answer>;
  mayJoin(all: readonly One[], one: One): boolean;
  /** Hears of what is our own mistake: each is done by itself all the same. */
  failed(error: unknown): void;
}

const limits = { most: 16, atOnce: 2 };

/**
 * Writes of several callers in one transaction: what comes while others are at work goes together next. When the database is away, or
 * nobody knows whether it committed, all are told so, and nothing is done again.
 */
export const createSharedWriting = <One>({ db, write, alone, mayJoin, failed }: SharedOptions<One>) =>
  togetherOrAlone<One, Answer>({
    atOnce: limits.atOnce,
    mayJoin: (all, one) => all.length < limits.most && mayJoin(all, one),
    alone,
    async together(all) {
      let isWorked = false;
      try {
        return await inTransaction(db, async (trx) => {
          isWorked = false;
          const written = await write(trx, all);
          if (written.length !== all.length) throw new Error(`${written.length} of ${all.length} were answered`);
          isWorked = true;
          return written;
        });
      } catch (error) {
        const isUndecided = isWorked && !isVerdict(error);
        if (isUndecided || isDatabaseAway(error)) throw error;
        if (!isDatabaseUnavailable(error) && asProblemError(error).status >= 500) failed(error);
        return undefined;
      }
    },
  });
