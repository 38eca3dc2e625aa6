import type { Communication } from '../api/types.ts';

/** Records as they are read: by day, and within a day those of one writer on one channel in a row. */
export interface Day {
  /** When it begins where the person sits. */
  from: number;
  groups: Group[];
}

interface Group {
  /** Changes with none of its records. */
  key: string;
  records: Communication[];
}

/**
 * What a record says by now, and what it said before, oldest first. Words that were taken back stay as they were last: they
 * may have been read, and acted upon.
 */
export function wordsOf({ body, occurred_at, amendments }: Pick<Communication, 'body' | 'occurred_at' | 'amendments'>) {
  const said = [
    { at: occurred_at, body },
    ...amendments.flatMap((one) => (one.body === null ? [] : { at: one.at, body: one.body })),
  ];
  const isWithdrawn = amendments.at(-1)?.body === null;
  return { newest: said.at(-1)?.body, changedAt: said.at(-1)?.at, earlier: said.slice(0, -1), isWithdrawn };
}

/** What is to be known of how a message came, besides who wrote it. */
export const marksOf = ({ imported, forwarded, group }: Pick<Communication, 'imported' | 'forwarded' | 'group'>) => [
  ...(imported ? ['From the history of the phone'] : []),
  ...(group === null ? [] : ['Written in a group']),
  ...(forwarded ? ['Forwarded'] : []),
];

const apartMs = 5 * 60_000;

/** `newestFirst` is how the service lists them. Days of before stay the same where nothing in them changed. */
export function daysOf(newestFirst: readonly Communication[], before: readonly Day[] = []): Day[] {
  const days: Day[] = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const record of newestFirst.toReversed()) {
    const at = Date.parse(record.occurred_at);
    if (at >= until) {
      days.push({ from: midnightOf(at, 0), groups: [] });
      until = midnightOf(at, 1);
    }
    const { groups } = days.at(-1) as Day;
    const last = groups.at(-1)?.records.at(-1);
    if (last && belongTogether(last, record)) groups.at(-1)?.records.push(record);
    else groups.push({ key: record.id, records: [record] });
  }
  const known = new Map(before.map((day) => [day.from, day]));
  return days.map((day) => {
    const old = known.get(day.from);
    return old && isSame(old, day) ? old : day;
  });
}

/** That of the same day, or so many days later. */
function midnightOf(at: number, later: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + later).getTime();
}

/** Records are never written over: one that changed is another. */
function isSame(one: Day, other: Day): boolean {
  const [before, now] = [one, other].map(({ groups }) => groups.flatMap(({ records }) => records)) as [
    unknown[],
    unknown[],
  ];
  return before.length === now.length && before.every((record, n) => record === now[n]);
}

const belongTogether = (one: Communication, next: Communication): boolean =>
  one.type === next.type &&
  one.direction === next.direction &&
  one.author === next.author &&
  one.recipient === next.recipient &&
  one.phone_app === next.phone_app &&
  one.type !== 'CALL_LOG' &&
  one.type !== 'EMAIL' &&
  Date.parse(next.occurred_at) - Date.parse(one.occurred_at) < apartMs;

/** The oldest that nobody had read when the thread was opened. */
export const firstUnread = (newestFirst: readonly Communication[]): string | undefined =>
  newestFirst.findLast(({ unread }) => unread)?.id;

/**
 * The one that came into the log last, in the order in which the service counts what was seen. It need not be the newest: a
 * message that comes late happened before, and one that was nobody's comes when it is linked.
 */
export const lastCome = (records: readonly Communication[]): Communication | undefined =>
  records.reduce<Communication | undefined>((last, one) => (last && !cameAfter(one, last) ? last : one), undefined);

export function cameAfter(one: Communication, other: Communication): boolean {
  const [at, before] = [one, other].map(({ filed_at, created_at }) => filed_at ?? created_at) as [string, string];
  return at === before ? one.id > other.id : at > before;
}
