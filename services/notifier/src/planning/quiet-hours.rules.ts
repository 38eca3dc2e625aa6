import { instantsOf, localTime } from '@ops/contracts/local-time';
import type { AlertPlan } from '@ops/contracts/resources/alert-plan';

type QuietHours = NonNullable<AlertPlan['quiet_hours']>;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * The end of the quiet hours that hold there now; null when none do. A clock that jumps over the end ends them just as
 * many minutes later as it jumps over: never inside them, never before now.
 */
export function quietUntil(now: Date, hours: AlertPlan['quiet_hours'], timeZone: string): Date | null {
  if (!hours || !isQuiet(now, hours, timeZone)) return null;
  const today = localTime(now, timeZone).getTime();
  const end = Math.floor(today / dayMs) * dayMs + minutesOf(hours.until) * minuteMs;
  const ends = instantsOf(new Date(end > today ? end : end + dayMs), timeZone);
  return ends.find((at) => at > now && !isQuiet(at, hours, timeZone)) ?? null;
}

export function isQuiet(at: Date, { from, until }: QuietHours, timeZone: string): boolean {
  const minute = Math.floor((localTime(at, timeZone).getTime() % dayMs) / minuteMs);
  const [begin, end] = [minutesOf(from), minutesOf(until)];
  return begin < end ? begin <= minute && minute < end : minute >= begin || minute < end;
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
