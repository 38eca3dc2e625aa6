import type { PlainDate } from './dates.ts';

export function isTimeZone(name: string): boolean {
  try {
    // Not remembered: anybody may ask for any name.
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What the clocks there show at that instant, as though it were UTC. */
export function localTime(at: Date, timeZone: string): Date {
  const parts = formatterFor(timeZone).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const day = [part('year'), part('month') - 1, part('day')] as const;
  return new Date(Date.UTC(...day, part('hour'), part('minute'), part('second'), at.getUTCMilliseconds()));
}

/** The date that calendars there show at that instant. */
export const localDate = (at: Date, timeZone: string): PlainDate => localTime(at, timeZone).toISOString().slice(0, 10);

/**
 * When the clocks there show that time, the earliest first: twice where they go back. One that they jump over is as many
 * minutes later as they jump.
 */
export function instantsOf(local: Date, timeZone: string): Date[] {
  const [before, after] = [-dayMs, dayMs].map((apart) => {
    const near = local.getTime() + apart;
    return local.getTime() - (localTime(new Date(near), timeZone).getTime() - near);
  }) as [number, number];
  const instants = [...new Set([Math.min(before, after), Math.max(before, after)])].map((at) => new Date(at));
  const shown = instants.filter((at) => localTime(at, timeZone).getTime() === local.getTime());
  return shown.length > 0 ? shown : instants.slice(-1);
}

const dayMs = 86_400_000;

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
