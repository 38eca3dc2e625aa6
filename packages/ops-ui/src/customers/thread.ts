import type { Communication } from '../api/types.ts';

/** Records as they are read: by day, and within a day those of one writer on one channel in a row. */
export interface Day {
  /** When the first of them happened. */
  at: string;
  groups: Group[];
}

export interface Group {
  /** Changes with none of its records. */
  key: string;
  records: Communication[];
}

const apartMs = 5 * 60_000;

/** `newestFirst` is how the service lists them. */
export function daysOf(newestFirst: readonly Communication[]): Day[] {
  const days: Day[] = [];
  for (const record of newestFirst.toReversed()) {
    let day = days.at(-1);
    if (!day || !isSameDay(day.at, record.occurred_at)) {
      day = { at: record.occurred_at, groups: [] };
      days.push(day);
    }
    const last = day.groups.at(-1)?.records.at(-1);
    if (last && belongTogether(last, record)) day.groups.at(-1)?.records.push(record);
    else day.groups.push({ key: record.id, records: [record] });
  }
  return days;
}

const isSameDay = (one: string, other: string) => new Date(one).toDateString() === new Date(other).toDateString();

const belongTogether = (one: Communication, next: Communication): boolean =>
  one.type === next.type &&
  one.direction === next.direction &&
  one.author === next.author &&
  one.type !== 'CALL_LOG' &&
  one.type !== 'EMAIL' &&
  Date.parse(next.occurred_at) - Date.parse(one.occurred_at) < apartMs;

/** The oldest that nobody had read when the thread was opened. */
export const firstUnread = (newestFirst: readonly Communication[]): string | undefined =>
  newestFirst.findLast(({ unread }) => unread)?.id;

/** The one that came into the log last. It need not be the newest: a message that comes late happened before. */
export const lastCome = (records: readonly Communication[]): string | undefined =>
  records.reduce<Communication | undefined>(
    (last, one) => (last && last.created_at >= one.created_at ? last : one),
    undefined,
  )?.id;
