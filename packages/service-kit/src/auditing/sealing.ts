import { type Db, oneRow } from '../database/database.ts';
import type { Logger } from '../observing/logger.ts';
import { every, type Job } from '../process/every.ts';

const mostAtOnce = 500;

interface Sealed {
  sealed_rows: number;
  last_seq: string | null;
  last_hash: string | null;
}

/**
 * Chains what was committed since. Where the chain ends now is a line of the log: kept elsewhere, it shows that somebody who
 * owns the database wrote the chain anew.
 */
export async function sealAudit(db: Db, logger: Logger, goesOn = () => true): Promise<void> {
  for (let more = true; more && goesOn(); ) {
    const { sealed_rows, last_seq, last_hash } = await oneRow<Sealed>(db, 'SELECT * FROM seal_audit(?)', [mostAtOnce]);
    if (sealed_rows > 0) logger.info({ audit: 'seal', seq: Number(last_seq), hash: last_hash }, 'sealed');
    more = sealed_rows === mostAtOnce;
  }
}

const everyMs = 2_000;

export const startSealing = (db: Db, logger: Logger): Job =>
  every(everyMs, (goesOn) => sealAudit(db, logger, goesOn), logger, { atOnce: true });
