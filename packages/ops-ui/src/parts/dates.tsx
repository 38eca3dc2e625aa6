import { Text, Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { dayAt, daysBetween, withDaysWritten } from './days.ts';

/** Dates in the person's own language; plain dates are days, never instants. */
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const weekdayAndYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const instant = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const inWeek = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

export const dayOf = (plainDate: string): string => day.format(new Date(`${plainDate}T00:00:00Z`));
/** What a service wrote, with its days in the person's own form. */
export const inOwnDays = (words: string): string => withDaysWritten(words, dayOf);
export const shortDayOf = (plainDate: string): string => shortDay.format(new Date(`${plainDate}T00:00:00Z`));
export const timeOf = (at: string): string => time.format(new Date(at));
export const instantOf = (at: string): string => instant.format(new Date(at));
/** Its time to leave is yet to come. */
export const isWaiting = (message: { status: string | null; send_after: string | null }): boolean =>
  message.status === 'QUEUED' && message.send_after !== null && Date.parse(message.send_after) > Date.now();
/** When a message leaves, and why then. */
export const whenAndWhy = (at: string, reason: { message: string } | null): string =>
  `${inWeek.format(new Date(at))}${reason ? `: ${reason.message}` : ''}`;
export const leavesAt = (at: string, reason: { message: string } | null): string => `leaves ${whenAndWhy(at, reason)}`;
export const exactly = (at: string): string => exact.format(new Date(at));

/** The day something happened where the person sits, as a heading. */
export function dayHeading(at: number, today: string): string {
  const days = daysBetween(dayAt(at), today);
  if (days === 0 || days === 1) {
    const word = relative.format(-days, 'day');
    return word.charAt(0).toLocaleUpperCase() + word.slice(1);
  }
  return (dayAt(at).slice(0, 4) === today.slice(0, 4) ? weekday : weekdayAndYear).format(at);
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

function ago(at: string, now: number = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1000;
  for (const [unit, length] of steps)
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  return relative.format(0, 'second');
}

/** What a sender dates a message that came at another time. */
export const Claimed = ({ at }: { at: string | null }) =>
  at && (
    <Text size="xs" c="var(--text-quiet)" title={exactly(at)}>
      dated {dayOf(at.slice(0, 10))} by its sender
    </Text>
  );

/** One clock for all that is on the screen. */
let minute = Date.now();
const watchers = new Set<() => void>();
setInterval(() => {
  minute = Date.now();
  for (const watcher of watchers) watcher();
}, 30_000);

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export const useNow = (): number => useSyncExternalStore(watch, () => minute);

/** The plain day where the person sits. */
export const useToday = (): string => useSyncExternalStore(watch, () => dayAt(minute));

/** How long ago; exactly when, on hover and to a screen reader. */
export function When({ at }: { at: string }) {
  const now = useNow();
  return (
    <Tooltip label={exactly(at)} openDelay={300}>
      <time dateTime={at}>{ago(at, now)}</time>
    </Tooltip>
  );
}
