import type { Db, Trx } from '../database/database.ts';
import { inTransaction } from '../database/database.ts';
import { isDatabaseUnavailable } from '../database/database-errors.ts';
import { InternalCallError } from '../identity/internal-client.ts';
import type { Logger } from '../observing/logger.ts';
import type { ImportKind, StoredImport } from './import.ts';
import { type ClaimedImport, lockClaimed } from './import-store.ts';

export interface ImportDeps {
  db: Db;
  logger: Logger;
  now: () => Date;
  /** Something was committed: there may be events to publish. */
  committed: () => void;
  /** Rows of one transaction. */
  batch?: number;
}

/** One import, in the hands of one process. */
export interface ImportWork<Row> {
  deps: ImportDeps;
  kind: ImportKind<Row>;
  claimed: ClaimedImport;
  stopping: AbortSignal;
}

/** As many as one question about customers may name. */
export const batchOf = ({ batch = 200 }: ImportDeps): number => batch;

/** Longer than a batch takes by far: what is claimed is given to another only when its claimer is dead. */
const leaseMs = 30_000;

export const leaseUntil = ({ now }: ImportDeps): Date => new Date(now().getTime() + leaseMs);

/** Somebody else took it over in the meantime, and goes on from what was committed. */
export class ClaimLost extends Error {
  override name = 'ClaimLost';
}

/** One transaction, in which the import is still this process's own: so each row is done once, whoever was slow. */
export const whileClaimed = <Row, T>(
  { deps, claimed }: ImportWork<Row>,
  work: (trx: Trx, current: StoredImport) => Promise<T>,
): Promise<T> =>
  inTransaction(deps.db, async (trx) => {
    const current = await lockClaimed(trx, claimed);
    if (!current) throw new ClaimLost();
    return work(trx, current);
  });

/** Is nobody's fault and may be over the next time: the database, or another service, is away. */
export const mayHeal = (error: unknown): boolean => error instanceof InternalCallError || isDatabaseUnavailable(error);
