import type { Calendar, CalendarYear } from '../api/types.ts';
import { daysAfter, mondayOf } from '../parts/days.ts';
import { counted } from '../parts/words.ts';

export type Hours = Calendar['hours'];
export type OwnDay = Calendar['holidays'][number];
type Weekday = Calendar['working_days'][number];

/** What the form changes of a calendar. */
export type CalendarDraft = Pick<
  Calendar,
  'working_days' | 'hours' | 'country' | 'region' | 'holidays' | 'answer_within_hours'
>;

export const draftOf = (calendar: Calendar): CalendarDraft => {
  const { working_days, hours, country, region, holidays, answer_within_hours } = calendar;
  return { working_days, hours, country, region, holidays, answer_within_hours };
};

/** From Monday on. */
export const weekdays: readonly Weekday[] = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
];

export const allDay: Hours = { from: '00:00', until: '24:00' };
export const usualHours: Hours = { from: '08:00', until: '18:00' };
export const isAllDay = ({ from, until }: Hours): boolean => from === allDay.from && until === allDay.until;

/** The same day once more takes it out; they stand in the order of the week, however they were chosen. */
export const toggledDay = (chosen: readonly Weekday[], day: Weekday): Weekday[] =>
  weekdays.filter((one) => (one === day) !== chosen.includes(one));

const weekdayOf = (date: string): Weekday => weekdays[(new Date(date).getUTCDay() + 6) % 7] as Weekday;

/** Why nobody works on a day: it is none of the week's, or has a name; null when somebody does. */
export function closedBecause(
  date: string,
  working: readonly Weekday[],
  days: CalendarYear['days'],
): { kind: 'weekend' | 'public' | 'own'; name: string } | null {
  const own = days.find((day) => day.date === date);
  if (own?.closed) return { kind: own.kind, name: own.name };
  return working.includes(weekdayOf(date)) ? null : { kind: 'weekend', name: 'No working day' };
}

/** Each month's weeks from Monday on; null where another month's days stand. */
export function monthsOf(year: number): { first: string; weeks: (string | null)[][] }[] {
  return Array.from({ length: 12 }, (_, index) => {
    const first = `${year}-${String(index + 1).padStart(2, '0')}-01`;
    const weeks: (string | null)[][] = [];
    for (let monday = mondayOf(first); monday.slice(0, 7) <= first.slice(0, 7); monday = daysAfter(monday, 7))
      weeks.push(weekdays.map((_, day) => within(first, daysAfter(monday, day))));
    return { first, weeks };
  });
}

const within = (first: string, date: string) => (date.slice(0, 7) === first.slice(0, 7) ? date : null);

export interface YearChange {
  /** Worked on by what is saved, and not by what is typed. */
  closed: string[];
  opened: string[];
}

export interface Year {
  working: readonly Weekday[];
  days: CalendarYear['days'];
}

export function changeOf(year: number, saved: Year, typed: Year): YearChange {
  const dates = monthsOf(year).flatMap(({ weeks }) => weeks.flat().filter((date) => date !== null));
  const isClosed = (date: string, { working, days }: Year) => closedBecause(date, working, days) !== null;
  return {
    closed: dates.filter((date) => !isClosed(date, saved) && isClosed(date, typed)),
    opened: dates.filter((date) => isClosed(date, saved) && !isClosed(date, typed)),
  };
}

export function changeInWords({ closed, opened }: YearChange, year: number): string {
  const parts = [
    ...(closed.length > 0 ? [`${counted(closed.length, 'day')} more without work`] : []),
    ...(opened.length > 0 ? [`${counted(opened.length, 'day')} more with work`] : []),
  ];
  return parts.length === 0 ? `Nothing changes in ${year}.` : `Not saved yet, in ${year}: ${parts.join(', ')}.`;
}
