import type { PlainDate } from '@ops/contracts/dates';
import type { Db } from '@ops/service-kit/database';
import { every, type Job } from '@ops/service-kit/every';
import type { Logger } from '@ops/service-kit/logger';
import { hasPassed, runOnSchedule } from '@ops/service-kit/scheduler';
import { hasFailed, lastNight, refresh, resume } from './refresh-service.ts';
import type { Refresher } from './refresh-worker.ts';

export interface RefreshJobs {
  refresher: Refresher;
  db: Db;
  logger: Logger;
  now: () => Date;
  today: () => PlainDate;
  /** None: somebody else calls for the runs. */
  cron: string | undefined;
  timeZone: string;
  everyMs?: number;
}

const watchEveryMs = 60_000;
/** So long nobody was heard of it that nobody is at work on it. */
const quietMs = 60_000;

/**
 * The nightly run; and at start, and every minute from then on, a look whether a run was left unfinished by a process
 * that died, a run failed, or a night was missed.
 */
export function startRefreshing(jobs: RefreshJobs): Job[] {
  const { refresher, logger, cron, timeZone } = jobs;
  const atStart = makeUp(jobs, undefined).catch((error: unknown) =>
    logger.warn({ err: error }, 'a refresh could not be made up for at start and will be tried again'),
  );
  const watch = every(
    jobs.everyMs ?? watchEveryMs,
    () => makeUp(jobs, new Date(jobs.now().getTime() - quietMs)),
    logger,
  );
  const nightly = cron === undefined ? [] : [runNightly(cron)];
  return [{ stop: () => refresher.stop().then(() => atStart) }, watch, ...nightly];

  function runNightly(expression: string): Job {
    const turn = (slot: Date) => refresh(refresher, { started_by: null, slot });
    return runOnSchedule({ name: 'refresh', cron: expression, timeZone, logger }, turn);
  }
}

async function makeUp(jobs: RefreshJobs, quietSince: Date | undefined): Promise<void> {
  await resume(jobs.refresher, jobs.db, quietSince);
  if ((await hasFailed(jobs.db)) || (await missedNight(jobs)))
    await refresh(jobs.refresher, { started_by: null, onlyIfMissed: true });
}

async function missedNight({ db, now, today, timeZone, cron }: RefreshJobs): Promise<boolean> {
  if (cron === undefined) return false;
  const last = await lastNight(db);
  return last !== null && last < today() && hasPassed(cron, timeZone, last, now());
}
