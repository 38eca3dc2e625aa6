import { v4 as uuidv4 } from 'uuid';
import { inTransaction } from '../database/database.ts';
import { every, type Job } from '../process/every.ts';
import { check } from './check.ts';
import { CsvFileError } from './csv-text.ts';
import type { ImportKind, StoredImport } from './import.ts';
import * as store from './import-store.ts';
import { ClaimLost, type ImportDeps, type ImportWork, leaseUntil, mayHeal } from './import-worker.ts';
import { takeIn } from './take.ts';

const lookEveryMs = 500;
const againAfterMs = 5_000;
/** By processes that ended without a word and without having come further. */
const mostClaims = 3;

/** Works on what was sent, one import after the other; when it is stopped, the next process goes on at once. */
export function startImports<Row>(deps: ImportDeps, kind: ImportKind<Row>): Job {
  const stopping = new AbortController();
  const looking = every(lookEveryMs, () => runImports(deps, kind, stopping.signal), deps.logger);
  return {
    stop: async () => {
      stopping.abort();
      await looking.stop();
    },
  };
}

/** Until there is nothing to be done. */
export async function runImports<Row>(deps: ImportDeps, kind: ImportKind<Row>, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const claim = { claim: uuidv4(), until: leaseUntil(deps) };
    const claimed = await store.claimNext(deps.db, claim, deps.now());
    if (!claimed) return;
    await attend({ deps, kind, claimed, stopping });
  }
}

async function attend<Row>(work: ImportWork<Row>): Promise<void> {
  const { deps, claimed } = work;
  if (claimed.claims > mostClaims) return giveUp(work);
  try {
    const ended = await (claimed.status === 'CHECKING' ? check(work) : takeIn(work));
    if (!ended) await store.putBack(deps.db, claimed, null);
  } catch (error) {
    await settleFailure(work, error);
  }
}

/** One that no process survives would take the whole service with it each time. */
function giveUp<Row>(work: ImportWork<Row>): Promise<void> {
  const { deps, claimed } = work;
  deps.logger.error({ import_id: claimed.id }, 'an import was given up: process after process ended while at it');
  const failure = `It broke off ${mostClaims} times at the same place, ${placeOf(claimed)}; send the file again, in parts`;
  return fail(work, failure);
}

const placeOf = ({ status, counts }: StoredImport): string =>
  status === 'CHECKING' ? `with ${counts.rows} rows looked through` : `with ${counts.done} rows taken in`;

async function settleFailure<Row>(work: ImportWork<Row>, error: unknown): Promise<void> {
  const { deps, claimed } = work;
  if (error instanceof ClaimLost) return;
  if (error instanceof CsvFileError) return fail(work, error.message);
  if (!mayHeal(error)) {
    deps.logger.error({ err: error, import_id: claimed.id }, 'an import failed');
    return fail(work, 'It broke off by a fault of the service, whose log tells why; send the file again');
  }
  deps.logger.warn({ err: error, import_id: claimed.id }, 'an import waits for what is away and will be gone on with');
  await store.putBack(deps.db, claimed, new Date(deps.now().getTime() + againAfterMs));
}

/** What was taken in stays: the same file sent again changes nothing of it. */
const fail = <Row>({ deps, claimed }: ImportWork<Row>, failure: string): Promise<void> =>
  inTransaction(deps.db, async (trx) => {
    const current = await store.lockClaimed(trx, claimed);
    if (current) await store.endImport(trx, current.id, { status: 'FAILED', failure }, deps.now());
  });
