import { setTimeout as pause } from 'node:timers/promises';
import { inTrace } from '@ops/bus/spans';
import type { PlainDate } from '@ops/contracts/dates';
import { inTransaction, type Trx } from '@ops/service-kit/database';
import { isDatabaseUnavailable } from '@ops/service-kit/database-errors';
import { batchWhile, restAfter } from '@ops/service-kit/giving-way';
import { v7 as uuidv7 } from 'uuid';
import { countAtRisk } from '../at-risk/at-risk-service.ts';
import { type BatchDeps, faultOf, treatAll } from './batch-service.ts';
import { isAnyDue, lookAtSilenced, type Place, pickDue } from './batch-store.ts';
import { nothingYet } from './refresh.rules.ts';
import { refreshFinished } from './refresh-events.ts';
import * as runs from './run-store.ts';

export interface RefresherDeps extends BatchDeps {
  today: () => PlainDate;
  /** Something was committed: there may be events to publish. */
  committed: () => void;
  /** Most renewals of one transaction. */
  batch: number;
  /** Whether people are being served: then batches are small, and there is a rest after each. */
  isBusy?: () => boolean;
}

export interface Start {
  /** Null: nobody, it was the time of day. */
  started_by: string | null;
  /** The time of day it is for: of several replicas one starts the run of it. */
  slot?: Date;
  /** No run when today had one, as when a night is made up for, or when one failed a moment ago. */
  onlyIfMissed?: boolean;
}

/**
 * Runs refreshes. A run belongs to nobody: its state is in the database, a batch holds it while it works, and whoever
 * asks for a refresh while one is unfinished goes on with that one, batch by batch in turns. So a second caller joins
 * the first, in this process or another; when one of them is killed the others finish, and when all are, the next one
 * does.
 */
export interface Refresher {
  /** The unfinished run of today, or a new one. Undefined: there is no need of one. */
  begin(start: Start): Promise<runs.StoredRun | undefined>;
  /** Until it is over, or this process stops. Answers it as it then is. */
  finish(run_id: string): Promise<runs.StoredRun>;
  /** Begins no further batch; resolves when the one in work is done. The next process goes on from there. */
  stop(): Promise<void>;
}

export function createRefresher(deps: RefresherDeps): Refresher {
  const inWork = new Map<string, Promise<void>>();
  let stopping = false;
  const finish = async (run_id: string) => {
    const joined = inWork.get(run_id);
    const driving =
      joined ?? inTrace('refresh', () => drive(deps, run_id, () => stopping)).finally(() => inWork.delete(run_id));
    inWork.set(run_id, driving);
    await driving;
    return runs.findRun(deps.db, run_id) as Promise<runs.StoredRun>;
  };
  return {
    begin: (start) => inTransaction(deps.db, (trx) => begin(deps, trx, start)),
    finish,
    async stop() {
      stopping = true;
      await Promise.allSettled(inWork.values());
    },
  };
}

async function begin(deps: RefresherDeps, trx: Trx, start: Start): Promise<runs.StoredRun | undefined> {
  const refreshed = await runs.lockRefreshed(trx);
  const as_of = dateOf(deps.today(), refreshed);
  if (start.slot && (await runs.isSlotTaken(trx, start.slot))) return undefined;
  const unfinished = await runs.findUnfinished(trx);
  if (unfinished && unfinished.as_of >= as_of) {
    if (start.slot) await runs.takeSlot(trx, unfinished.run_id, start.slot);
    return unfinished;
  }
  if (start.onlyIfMissed && (refreshed === as_of || (await hasJustFailed(deps, trx)))) return undefined;
  if (unfinished) await end(deps, trx, unfinished.run_id, { status: 'ABANDONED' });
  await lookAtSilenced(trx, as_of);
  const { started_by, slot = null } = start;
  return runs.insertRun(trx, { id: uuidv7(), as_of, started_by, slot, counts: nothingYet }, deps.now());
}

/** What failed for all may need a person: it is tried again, but not in every minute. */
const retryAfterMs = 10 * 60_000;

async function hasJustFailed({ now }: RefresherDeps, trx: Trx): Promise<boolean> {
  const failed = await runs.lastFailure(trx);
  return failed !== undefined && now().getTime() - failed.getTime() < retryAfterMs;
}

/** A clock that was put back does not take the date back that days are counted from. */
export const dateOf = (today: PlainDate, refreshed: PlainDate | null): PlainDate =>
  refreshed !== null && refreshed > today ? refreshed : today;

const mostFailures = 30;
const pauseMs = 1_000;

/** A lock that staff hold, or a database that is away, is waited for; what is nobody's to heal ends the run. */
async function drive(deps: RefresherDeps, run_id: string, isStopping: () => boolean): Promise<void> {
  let after: Place | undefined;
  let failures = 0;
  while (!isStopping()) {
    try {
      const { isBusy = () => false } = deps;
      const givesWay = isBusy();
      const began = performance.now();
      const step = await runStep(deps, run_id, after, batchWhile(givesWay, deps.batch));
      if (step.over) return;
      after = step.after;
      failures = 0;
      if (givesWay) await restAfter(began, isBusy);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) return fail(deps, run_id, error);
      if (++failures > mostFailures) throw error;
      deps.logger.info({ err: error, run_id }, 'a refresh waits for what others hold');
      await pause(pauseMs);
    }
  }
}

async function fail(deps: RefresherDeps, run_id: string, error: unknown): Promise<void> {
  deps.logger.error({ err: error, run_id }, 'a refresh failed');
  await inTransaction(deps.db, (trx) => end(deps, trx, run_id, { status: 'FAILED', failure: faultOf(error) }));
  deps.committed();
}

/** However a run ends: nothing more is told of what it fired. */
async function end({ outbox, now }: BatchDeps, trx: Trx, run_id: string, how: runs.End): Promise<void> {
  const at = now();
  const ended = await runs.endRun(trx, run_id, how, at);
  if (ended) await outbox.add(trx, refreshFinished({ run_id, status: how.status, ...ended }, at));
}

type Step = { over: boolean; after?: Place | undefined };

/** One batch; after the last one a look from the start, at what came meanwhile; then the end. */
async function runStep(deps: RefresherDeps, run_id: string, after: Place | undefined, batch: number): Promise<Step> {
  const run = await runs.findRun(deps.db, run_id);
  if (run?.status !== 'RUNNING') return { over: true };
  const picked = await pickDue(deps.db, run, after, batch);
  if (picked.length === 0) {
    const over = after === undefined && (await complete(deps, run, await atRiskBesides(deps, run_id)));
    deps.committed();
    return { over };
  }
  await treatAll(
    deps,
    run_id,
    picked.map(({ id }) => id),
  );
  deps.committed();
  return { over: false, after: picked.at(-1) };
}

/** No night fails, and nobody waits, for a figure: null where it cannot be had. */
const atRiskBesides = (deps: RefresherDeps, run_id: string): Promise<number | null> =>
  countAtRisk(deps, deps.db, run_id).catch((error: unknown) => {
    deps.logger.warn({ err: error, run_id }, 'what is at risk could not be counted');
    return null;
  });

function complete(deps: RefresherDeps, { run_id, as_of }: runs.StoredRun, at_risk: number | null): Promise<boolean> {
  return inTransaction(deps.db, async (trx) => {
    await runs.lockRefreshed(trx);
    const running = await runs.lockRunning(trx, run_id);
    if (!running) return true;
    if (await isAnyDue(trx, running)) return false;
    await runs.setRefreshed(trx, as_of);
    await end(deps, trx, run_id, { status: 'COMPLETED', at_risk });
    return true;
  });
}
