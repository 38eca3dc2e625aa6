import { isTimeZone, localTime } from '@ops/contracts/local-time';
import { CronExpressionParser } from 'cron-parser';
import { z } from 'zod';
import type { Logger } from '../observing/logger.ts';
import { every, type Job } from './every.ts';

const off = 'off';

/** A setting that says when: a cron expression, or `off`. An empty setting counts as not given and means the default. */
export const cronSetting = (usual: string) =>
  z
    .string()
    .refine((value) => value === off || isCron(value), 'a cron expression such as 30 3 * * *, or off')
    .default(usual)
    .transform((value) => (value === off ? undefined : value));

/** Of five fields or six; the library would take fewer, and make up an `H` anew in each process. */
function isCron(value: string): boolean {
  if (!/^(@\w+|\S+(\s+\S+){4,5})$/.test(value.trim()) || /\bH/.test(value)) return false;
  try {
    return CronExpressionParser.parse(value).hasNext();
  } catch {
    return false;
  }
}

export const timeZoneSetting = z.string().refine(isTimeZone, 'a time zone such as Europe/Zurich').default('UTC');

export interface Schedule {
  name: string;
  cron: string;
  timeZone: string;
  logger: Logger;
}

/**
 * Runs `work` at every time the expression names, with that time: it is the same in every replica, whenever each of
 * them gets to it. A machine that slept or was too busy catches up once, with the last time that passed. A turn that is
 * still at work is not joined by another; one that fails is logged, and the next one tries again.
 */
export function runOnSchedule({ name, cron, timeZone, logger }: Schedule, work: (slot: Date) => Promise<unknown>): Job {
  let seen = new Date();
  const times = CronExpressionParser.parse(cron, { tz: timeZone, currentDate: seen });
  let next = times.next().toDate();
  const turn = async () => {
    const now = new Date();
    // A clock that was ahead and is put right must not leave the schedule waiting for it.
    if (now < seen) {
      times.reset(now);
      next = times.next().toDate();
    }
    seen = now;
    let slot: Date | undefined;
    for (; next <= now; next = times.next().toDate()) slot = next;
    if (slot) await work(slot);
  };
  return every(1_000, turn, logger.child({ schedule: name }));
}

/**
 * Whether a time that the expression names passed after the day `since` (`YYYY-MM-DD`), by the clock on the wall. A
 * time that a night skips as the clocks go forward counts as passed when it would have.
 */
export function hasPassed(cron: string, timeZone: string, since: string, now: Date): boolean {
  const currentDate = new Date(localTime(now, timeZone).getTime() + 1);
  const last = CronExpressionParser.parse(cron, { tz: 'UTC', currentDate }).prev();
  return last.toDate().toISOString().slice(0, 10) > since;
}
