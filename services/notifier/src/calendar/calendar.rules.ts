import { addDays, type PlainDate, weekdayOf } from '@ops/contracts/dates';
import { instantsOf, localTime } from '@ops/contracts/local-time';
import type { FieldError } from '@ops/contracts/problem';
import type { Calendar, CalendarCountries, CalendarYear, PutCalendar } from '@ops/contracts/resources/calendar';
import { weekdays } from '@ops/contracts/resources/calendar';

type OwnDays = Calendar['holidays'];

/** When the firm works: what stands in its calendar, and the public holidays of the years that are looked at. */
export interface WorkingTime extends Pick<Calendar, 'working_days' | 'hours'> {
  timeZone: string;
  /** By date, the name of each day on which nobody works though others of its week are working days. */
  closed: ReadonlyMap<PlainDate, string>;
}

/** The firm's own word on a day is the last. */
export function closedDays(publicHolidays: ReadonlyMap<PlainDate, string>, own: OwnDays): Map<PlainDate, string> {
  const closed = new Map(publicHolidays);
  for (const { date, name, closed: isClosed } of own) {
    if (isClosed) closed.set(date, name);
    else closed.delete(date);
  }
  return closed;
}

/** What is told of a year besides its weeks, in the order of the days. */
export function daysOfYear(
  year: number,
  publicHolidays: ReadonlyMap<PlainDate, string>,
  own: OwnDays,
): CalendarYear['days'] {
  const ofYear = own.filter(({ date }) => date.startsWith(`${year}-`));
  const taken = new Set(ofYear.map(({ date }) => date));
  const others = [...publicHolidays].filter(([date]) => !taken.has(date));
  return [
    ...others.map(([date, name]) => ({ date, name, kind: 'public' as const, closed: true })),
    ...ofYear.map((day) => ({ ...day, kind: 'own' as const })),
  ].toSorted((one, other) => (one.date < other.date ? -1 : 1));
}

export const isOfWeek = ({ working_days }: Pick<WorkingTime, 'working_days'>, date: PlainDate): boolean =>
  working_days.includes(weekdays[weekdayOf(date)] as (typeof weekdays)[number]);

export const isWorkingDay = (time: WorkingTime, date: PlainDate): boolean =>
  isOfWeek(time, date) && !time.closed.has(date);

export function isWorkingTime(time: WorkingTime, at: Date): boolean {
  const local = localTime(at, time.timeZone).toISOString();
  return isWithin(time.hours, local.slice(11, 16)) && isWorkingDay(time, local.slice(0, 10));
}

/** Times of day compare as text. */
const isWithin = ({ from, until }: WorkingTime['hours'], clock: string): boolean => from <= clock && clock < until;

/** How far anybody looks ahead: a firm that is closed for longer says so in its calendar by mistake. */
export const mostDaysAhead = 400;

/** The first instant from `at` on that `is` so, of those at which a working day, or its hours, can begin. */
export function nextOf(time: WorkingTime, at: Date, begins: string, is: (instant: Date) => boolean): Date | null {
  if (is(at)) return at;
  const today = localTime(at, time.timeZone).toISOString().slice(0, 10);
  for (let days = 0; days <= mostDaysAhead; days++) {
    const date = addDays(today, days);
    if (!isWorkingDay(time, date)) continue;
    const begin = instantsOf(new Date(`${date}T${begins}:00Z`), time.timeZone);
    const found = begin.find((instant) => instant > at && is(instant));
    if (found) return found;
  }
  return null;
}

/**
 * When a task is due that an alert makes: on the last working day up to the renewal's date, not before today. Where there is
 * none, on that date itself; once that is past, on the next working day.
 */
export function taskDueOn(time: WorkingTime, dueDate: PlainDate, today: PlainDate): PlainDate {
  for (let date = dueDate; date >= today; date = addDays(date, -1)) if (isWorkingDay(time, date)) return date;
  if (dueDate >= today) return dueDate;
  for (let days = 0; days <= mostDaysAhead; days++)
    if (isWorkingDay(time, addDays(today, days))) return addDays(today, days);
  return today;
}

const hourMs = 3_600_000;

/** When so many hours of work have passed since an instant. No firm rests for longer than anybody looks ahead. */
export function afterWorkingHours(time: WorkingTime, hours: number): (since: Date) => Date {
  const known = new Map<PlainDate, Hours>();
  const hoursOn = (date: PlainDate): Hours => {
    const found = known.get(date) ?? hoursOf(time, date);
    known.set(date, found);
    return found;
  };
  return (since) => {
    const begin = localTime(since, time.timeZone).toISOString().slice(0, 10);
    let left = hours * hourMs;
    for (let days = 0; days <= mostDaysAhead; days++) {
      const date = addDays(begin, days);
      if (!isWorkingDay(time, date)) continue;
      const [from, until] = hoursOn(date);
      const start = Math.max(from, since.getTime());
      if (start + left <= until) return new Date(start + left);
      left -= Math.max(until - start, 0);
    }
    return new Date(since.getTime() + mostDaysAhead * 24 * hourMs);
  };
}

type Hours = [from: number, until: number];

function hoursOf({ hours, timeZone }: WorkingTime, date: PlainDate): Hours {
  const [day, clock] = hours.until === '24:00' ? [addDays(date, 1), '00:00'] : [date, hours.until];
  const at = (local: string) => (instantsOf(new Date(`${local}:00Z`), timeZone)[0] as Date).getTime();
  return [at(`${date}T${hours.from}`), at(`${day}T${clock}`)];
}

/** What is known of the country that a calendar names: undefined when there is none such. */
export type Country = CalendarCountries['data'][number];

export function problemsOf(calendar: PutCalendar, country: Country | undefined): FieldError[] {
  const { working_days, hours, holidays } = calendar;
  const problems: FieldError[] = [];
  const say = (path: string, message: string) => void problems.push({ path, message });
  if (working_days.length === 0) say('working_days', 'must name at least one day, or no message would ever leave');
  if (new Set(working_days).size < working_days.length) say('working_days', 'must not repeat');
  if (hours.until <= hours.from) say('hours.until', 'must be later than `from`; a whole day is 00:00 until 24:00');
  const whose = placeProblem(calendar, country);
  if (whose) problems.push(whose);
  for (const [index, { date }] of holidays.entries())
    if (holidays.findIndex((one) => one.date === date) < index) say(`holidays.${index}.date`, 'is in the list twice');
  return problems;
}

function placeProblem({ country, region }: PutCalendar, known: Country | undefined): FieldError | undefined {
  if (country && !known) return { path: 'country', message: 'is no country whose public holidays are known' };
  if (!region) return undefined;
  if (!known) return { path: 'region', message: 'needs the country it is a region of' };
  if (known.regions.some(({ code }) => code === region)) return undefined;
  return { path: 'region', message: `is no region of ${known.name} that is known` };
}
