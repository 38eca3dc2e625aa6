import { dayAt, daysAfter, mondayOf } from '../parts/days.ts';

/** Whom somebody has come past with the one in hand; it stays so when that one is out of the list. */
export function passedWith(ids: readonly string[], current: string, before: ReadonlySet<string>): ReadonlySet<string> {
  const at = ids.indexOf(current);
  return at === -1 ? before : new Set(ids.slice(0, at + 1));
}

const hourMs = 3_600_000;
const morning = 'T08:00:00';

/** Until when a customer is usually put off, where the person sits. */
export function snoozeTimes(now: number): { label: string; until: Date }[] {
  const today = dayAt(now);
  const on = (day: string) => new Date(`${day}${morning}`);
  return [
    { label: 'In 3 hours', until: new Date(now + 3 * hourMs) },
    { label: 'Tomorrow', until: on(daysAfter(today, 1)) },
    { label: 'Next Monday', until: on(daysAfter(mondayOf(today), 7)) },
    { label: 'In two weeks', until: on(daysAfter(today, 14)) },
  ];
}

const yearMs = 366 * 24 * hourMs;

/** Why nobody can be put off until then; undefined: they can. */
export function whyNotUntil(until: number, now: number): string | undefined {
  if (until <= now) return 'That is over already.';
  return until - now > yearMs ? 'That is more than a year away.' : undefined;
}

export const isLate = (answerBy: string | null, now: number): boolean =>
  answerBy !== null && Date.parse(answerBy) < now;
