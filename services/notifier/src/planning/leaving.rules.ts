import { addDays, daysBetween, type PlainDate, weekdayOf } from '@ops/contracts/dates';
import { localDate } from '@ops/contracts/local-time';
import type { AlertPlan } from '@ops/contracts/resources/alert-plan';
import type { Failure } from '@ops/contracts/resources/communication';
import type { Rung } from '@ops/contracts/resources/renewal';
import {
  isOfWeek,
  isWorkingDay,
  isWorkingTime,
  mostDaysAhead,
  nextOf,
  type WorkingTime,
} from '../calendar/calendar.rules.ts';
import { isQuiet, quietUntil } from './quiet-hours.rules.ts';

/** What a message of an alert waits for before it leaves. */
export interface Waiting {
  time: WorkingTime;
  quietHours: AlertPlan['quiet_hours'];
  /** The customer's. */
  zone: string;
}

/** Until when it waits, and for what; null: it may leave now. */
export type Leaving = { at: Date; reason: Failure } | null;

const dayMs = 86_400_000;
const patienceMs = 3 * dayMs;

/**
 * A message of an alert leaves in the firm's working hours that are not quiet where its customer is; where none comes within
 * three days, in the next hour of a working day that is not quiet. What says that a date has passed, and what would come when
 * it has, waits for the quiet hours alone.
 */
export function leaving(now: Date, waiting: Waiting, { rung, due_date }: { rung: Rung; due_date: string }): Leaving {
  if (rung === 'OVERDUE') return afterNight(now, waiting);
  const at = workingHour(now, waiting) ?? workingDay(now, waiting);
  if (!at || localDate(at, waiting.time.timeZone) > due_date) return afterNight(now, waiting);
  return because(now, waiting, at);
}

/** For the customer's night alone, as what a person had sent again. */
export function afterNight(now: Date, { quietHours, zone }: Waiting): Leaving {
  const at = quietUntil(now, quietHours, zone);
  return at && { at, reason: quiet };
}

const quietEnd = (at: Date, { quietHours, zone }: Waiting): Date => quietUntil(at, quietHours, zone) ?? at;

/** The first in which both hold, if it comes in time. */
function workingHour(now: Date, waiting: Waiting): Date | null {
  const { time } = waiting;
  return firstOf(now, waiting, patienceMs, time.hours.from, (at) => isWorkingTime(time, at));
}

function workingDay(now: Date, waiting: Waiting): Date | null {
  const { time } = waiting;
  const isOfDay = (at: Date) => isWorkingDay(time, localDate(at, time.timeZone));
  return firstOf(now, waiting, mostDaysAhead * dayMs, '00:00', isOfDay);
}

/** From the end of the quiet hours to the next opening, from there to the end of the quiet hours, until neither puts it off. */
function firstOf(now: Date, waiting: Waiting, withinMs: number, begins: string, is: (at: Date) => boolean) {
  for (let at = now; ; ) {
    const open = nextOf(waiting.time, at, begins, is);
    if (!open || open.getTime() - now.getTime() > withinMs) return null;
    at = quietEnd(open, waiting);
    if (at.getTime() === open.getTime()) return open;
  }
}

const minuteMs = 60_000;

/** Days that were waited out explain more than the hour it leaves at; before that hour it was quiet, or nobody was there. */
function because(now: Date, waiting: Waiting, at: Date): Leaving {
  if (at.getTime() <= now.getTime()) return null;
  const closed = closedBetween(now, waiting, at);
  if (closed.length > 0) return { at, reason: { code: 'closed_days', message: closed.join(', ') } };
  const before = new Date(at.getTime() - minuteMs);
  const isNight = waiting.quietHours !== null && isQuiet(before, waiting.quietHours, waiting.zone);
  return { at, reason: isNight ? quiet : outside };
}

const quiet: Failure = { code: 'quiet_hours', message: 'quiet hours of the customer' };
const outside: Failure = { code: 'working_hours', message: 'outside working hours' };

/** Of a day of each week on which nobody works. */
const nameOfWeekly = (day: PlainDate): string => (weekdayOf(day) >= 5 ? 'weekend' : 'no working day');

/** What the days are called on which nobody works from now until then, each once. */
function closedBetween(now: Date, { time }: Waiting, at: Date): string[] {
  const first = localDate(now, time.timeZone);
  const count = daysBetween(first, localDate(at, time.timeZone));
  const days = Array.from({ length: count }, (_, index) => addDays(first, index));
  const closed = days.filter((day) => !isWorkingDay(time, day));
  return [...new Set(closed.map((day) => (isOfWeek(time, day) && time.closed.get(day)) || nameOfWeekly(day)))];
}
