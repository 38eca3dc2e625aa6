import { type Db, inTransaction } from '@ops/service-kit/database';
import { every, type Job } from '@ops/service-kit/every';
import * as store from './import-store.ts';
import { end, goOn, type Importing } from './importing.ts';

const everyMs = 60_000;

/**
 * Goes on with what stands still, since its next message was lost with the broker's disk, or belongs to the version before,
 * which knew no messages. A message too many does no harm.
 */
export const resumeImports = <Row>(importing: Importing<Row>, db: Db, committed: () => void): Job =>
  every(everyMs, () => resume(importing, db).then(committed), importing.logger);

export const resume = <Row>(importing: Importing<Row>, db: Db): Promise<void> =>
  inTransaction(db, async (trx) => {
    for (const { id, status, read_to } of await store.takeStanding(trx, importing.now())) {
      const isUnreadable = status === 'CHECKING' && read_to === null;
      await (isUnreadable ? end(importing, trx, id, { status: 'FAILED', failure }) : goOn(importing, trx, id));
    }
  });

const failure = 'The service was replaced while it looked the file through; send it again';
