import { type Db, inTransaction } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { afterFailure, FetchError, mostTries } from './attachment.rules.ts';
import { announceFile } from './attachment-service.ts';
import * as store from './attachment-store.ts';
import type { FileSources } from './file-source.ts';

export interface FetchDeps extends Deps {
  db: Db;
  sources: FileSources;
}

/** A slow provider holds up no more than one of these, and each holds one file in memory. */
const workers = 3;
const fetchWithinMs = 120_000;
/** Longer than any fetch takes: a file is claimed anew only when its claimer is dead. */
const leaseMs = 300_000;

export interface FetchRun {
  stored: number;
  /** Could not be fetched now, and are tried again later. */
  postponed: number;
  failed: number;
}

/** Fetches every file that is due; whatever becomes of one touches neither its message nor the other files. */
export async function fetchDue(deps: FetchDeps, stopping: AbortSignal): Promise<FetchRun> {
  const run: FetchRun = { stored: 0, postponed: 0, failed: 0 };
  const work = async () => {
    while (!stopping.aborted) {
      const outcome = await fetchNext(deps, stopping);
      if (outcome === undefined) return;
      run[outcome] += 1;
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return run;
}

async function fetchNext(deps: FetchDeps, stopping: AbortSignal): Promise<keyof FetchRun | undefined> {
  const now = deps.now();
  const claim = await store.claimDue(deps.db, now, new Date(now.getTime() + leaseMs));
  if (!claim) return undefined;
  const outcome = await fetchOne(deps, claim, stopping);
  await inTransaction(deps.db, async (trx) => {
    const settled = await store.settleClaim(trx, claim, outcome);
    if (settled) await announceFile(deps, trx, claim.communication_id, deps.now());
  });
  return ({ STORED: 'stored', PENDING: 'postponed', FAILED: 'failed' } as const)[outcome.state];
}

async function fetchOne(deps: FetchDeps, claim: store.Claim, stopping: AbortSignal) {
  try {
    if (claim.tries > mostTries) throw new FetchError('given_up', 'Whoever fetched it came to an end each time', true);
    const content = await fetchFrom(deps.sources, claim, stopping);
    return { state: 'STORED', content, size: content.length, failure: null } as const;
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return { ...afterFailure(claim.tries, error.final, deps.now()), failure: error.failure };
  }
}

/** Ends when its time is up or the process is asked to stop, whether or not the source listens to that. */
async function fetchFrom(sources: FileSources, claim: store.Claim, stopping: AbortSignal): Promise<Buffer> {
  const source = sources[claim.source === 'ingest' ? 'ingest' : (claim.provider ?? '')];
  if (!source) throw new FetchError('not_configured', 'The provider that keeps this file is not configured', true);
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(fetchWithinMs)]);
  const { promise, reject } = Promise.withResolvers<never>();
  const interrupt = () => reject(new FetchError('interrupted', 'Fetching it was interrupted', false));
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  return Promise.race([promise, source.fetch(claim.ref, signal)]).finally(() =>
    signal.removeEventListener('abort', interrupt),
  );
}

/** After this, uploads that belong to no message are removed: no draft is left that long. */
const unusedForMs = 7 * 24 * 60 * 60_000;

export const removeUnusedUploads = ({ db, now }: FetchDeps): Promise<number> =>
  store.removeUnused(db, new Date(now().getTime() - unusedForMs));
