import { isVerdict } from '@ops/bus/transaction';
import { type Db, inTransaction, type Trx } from '../database/database.ts';
import { isDatabaseAway, isDatabaseUnavailable } from '../database/database-errors.ts';
import { asProblemError } from '../errors.ts';
import { answerTogether } from '../process/answering-together.ts';
import type { Answer } from './http-answers.ts';

interface SharedOptions<One> {
  db: Db;
  /** All of them, and the answer to each in their order; or it rejects, also where it would have to wait for what somebody holds. */
  write(trx: Trx, all: readonly One[]): Promise<readonly Answer[]>;
  mayShare(all: readonly One[]): boolean;
  /** Hears of what is our own mistake: each is done by itself all the same. */
  failed(error: unknown): void;
}

const limits = { most: 16, atOnce: 2 };

/**
 * Writes of several callers in one transaction: what comes while others are at work goes together next. Undefined: it was not done,
 * and is to be done by itself, where it holds up nobody else. When the database is away, or nobody knows whether it committed, all are
 * told so, and nothing is done again.
 */
export function createSharedWriting<One>({ db, write, mayShare, failed }: SharedOptions<One>) {
  return answerTogether<One, Answer | undefined>(
    async (all) => {
      let isWorked = false;
      try {
        const answers = await inTransaction(db, async (trx) => {
          isWorked = false;
          const written = await write(trx, all);
          if (written.length !== all.length) throw new Error(`${written.length} of ${all.length} were answered`);
          isWorked = true;
          return written;
        });
        return answers.map((value) => ({ status: 'fulfilled', value }));
      } catch (reason) {
        const isUndecided = isWorked && !isVerdict(reason);
        if (isUndecided || isDatabaseAway(reason)) return all.map(() => ({ status: 'rejected', reason }));
        if (!isDatabaseUnavailable(reason) && asProblemError(reason).status >= 500) failed(reason);
        return all.map(() => ({ status: 'fulfilled', value: undefined }));
      }
    },
    { ...limits, mayShare },
  );
}
