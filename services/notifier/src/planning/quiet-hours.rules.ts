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
  const today = wallClock(now, timeZone);
  const end = Math.floor(today / dayMs) * dayMs + minutesOf(hours.until) * minuteMs;
  const wall = end > today ? end : end + dayMs;
  const offsets = [now.getTime(), now.getTime() + 2 * dayMs].map((at) => wallClock(new Date(at), timeZone) - at);
  const candidates = offsets
    .map((offset) => new Date(wall - offset))
    .filter((at) => at > now && !isQuiet(at, hours, timeZone))
    .toSorted((a, b) => a.getTime() - b.getTime());
  return candidates[0] ?? null;
}

export function isQuiet(at: Date, { from, until }: QuietHours, timeZone: string): boolean {
  const minute = Math.floor((wallClock(at, timeZone) % dayMs) / minuteMs);
  const [begin, end] = [minutesOf(from), minutesOf(until)];
  return begin < end ? begin <= minute && minute < end : minute >= begin || minute < end;
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** What the clocks there show, as if it were UTC. */
function wallClock(at: Date, timeZone: string): number {
  const parts = formatterFor(timeZone).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(timeZone, made);
  return made;
}
