import { createTask, schedule, validate } from 'node-cron';
import { z } from 'zod';
import type { Logger } from '../observing/logger.ts';
import type { Job } from './every.ts';

const off = 'off';

/** A setting that says when: a cron expression, or `off`. An empty setting counts as not given and means the default. */
export const cronSetting = (usual: string) =>
  z
    .string()
    .refine((value) => value === off || validate(value), 'a cron expression such as 30 3 * * *, or off')
    .default(usual)
    .transform((value) => (value === off ? undefined : value));

export const timeZoneSetting = z.string().refine(isTimeZone, 'a time zone such as Europe/Zurich').default('UTC');

function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

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
  let running: Promise<unknown> = Promise.resolve();
  const turn = ({ date }: { date: Date }) => {
    running = work(date).catch((error: unknown) =>
      logger.warn({ err: error, schedule: name }, 'a scheduled run failed; the next one tries again'),
    );
    return running;
  };
  const task = schedule(cron, turn, {
    name,
    timezone: timeZone,
    noOverlap: true,
    missedExecutionTolerance: Number.POSITIVE_INFINITY,
    suppressMissedWarning: true,
    logger: quiet(logger),
  });
  return {
    async stop() {
      await task.destroy();
      await running;
    },
  };
}

/** What node-cron has to say goes to the log of the process, not to the console. */
function quiet(logger: Logger) {
  const note = (message: string | Error) => logger.warn({ reason: String(message) }, 'a message of the scheduler');
  return { info: () => {}, debug: () => {}, warn: note, error: note };
}

const minuteMs = 60_000;
const mostDays = 35;

/** Without the seconds that a sixth field names before the others: whole minutes are looked at. */
function minutesOf(cron: string): string {
  const fields = cron.trim().split(/\s+/);
  return fields.length < 6 ? cron : fields.slice(1).join(' ');
}

/**
 * Whether a time that the expression names passed after the day `since` (`YYYY-MM-DD`), by the clock on the wall. A
 * time that a night skips as the clocks go forward, which no schedule ever reaches, counts as passed when it would have.
 */
export function hasPassed(cron: string, timeZone: string, since: string, now: Date): boolean {
  const latest = wallClock(now, timeZone);
  const earliest = Math.max(Date.parse(since) + daysMs(1), latest - daysMs(mostDays));
  const task = createTask(minutesOf(cron), () => {}, { timezone: 'UTC' });
  let at = latest;
  while (at >= earliest && !task.match(new Date(at))) at -= minuteMs;
  // Else node-cron remembers it for good.
  task.destroy();
  return at >= earliest;
}

const daysMs = (days: number) => days * 24 * 60 * minuteMs;

/** The minute the wall clock shows, as though it were UTC. */
function wallClock(now: Date, timeZone: string): number {
  const shown = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const parts = Object.fromEntries(shown.formatToParts(now).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts.year ?? 0, (parts.month ?? 1) - 1, parts.day, parts.hour, parts.minute);
}
