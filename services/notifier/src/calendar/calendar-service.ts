import { isDeepStrictEqual } from 'node:util';
import type { PlainDate } from '@ops/contracts/dates';
import type { Calendar, CalendarCountries, CalendarYear, PutCalendar } from '@ops/contracts/resources/calendar';
import type { Actor } from '@ops/contracts/roles';
import { audit } from '@ops/service-kit/auditing';
import type { Db, Trx } from '@ops/service-kit/database';
import { unprocessable } from '@ops/service-kit/errors';
import { type HistoryQuery, historyOf } from '@ops/service-kit/history';
import { requireMatch } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import { afterWorkingHours, closedDays, daysOfYear, problemsOf, type WorkingTime } from './calendar.rules.ts';
import * as store from './calendar-store.ts';
import { findCountry, listCountries, publicHolidays } from './holiday-reader.ts';

export { readCalendar } from './calendar-store.ts';

/** As it stands, with the holidays of the years in which something that is decided on that day can happen. */
export const workingTime = async (deps: Pick<Deps, 'today' | 'timeZone'>, db: Db | Trx, as_of = deps.today()) =>
  timeOf(await store.readCalendar(db), deps.timeZone, as_of);

async function timeOf(calendar: Calendar, timeZone: string, as_of: PlainDate) {
  const year = Number(as_of.slice(0, 4));
  const holidays = await Promise.all([-1, 0, 1, 2].map((apart) => publicHolidays(calendar, year + apart)));
  const { working_days, hours } = calendar;
  const closed = closedDays(new Map(holidays.flatMap((ofYear) => [...ofYear])), calendar.holidays);
  return { working_days, hours, timeZone, closed } satisfies WorkingTime;
}

/** What was written before the years that are looked at is late, whatever holidays they had. */
export async function answerBy({ today, timeZone }: Deps, db: Db, written: readonly string[]): Promise<string[]> {
  const calendar = await store.readCalendar(db);
  const answeredBy = afterWorkingHours(await timeOf(calendar, timeZone, today()), calendar.answer_within_hours);
  return written.map((at) => answeredBy(new Date(at)).toISOString());
}

const subject = { kind: 'calendar', id: 'calendar' } as const;

/** What waits already learns of it when it is about to leave, as with quiet hours. */
export async function putCalendar(
  deps: Deps,
  trx: Trx,
  calendar: PutCalendar,
  actor: Actor,
  ifMatch: string | undefined,
): Promise<Calendar> {
  await refuseProblems(calendar);
  const { version, updated_at: _, updated_by: __, ...stored } = await store.lockCalendar(trx);
  requireMatch(ifMatch, version);
  if (isDeepStrictEqual(stored, calendar)) return store.readCalendar(trx);
  const saved = await store.saveCalendar(trx, calendar, actor.sub, deps.now());
  const { updated_at: occurred_at, updated_by: ___, ...told } = saved;
  await deps.outbox.add(trx, { type: 'calendar.changed', data: { ...told, setting: 'calendar', occurred_at } });
  await audit(trx, { subject, before: stored, after: calendar });
  return saved;
}

export const historyOfCalendar = (db: Db, query: HistoryQuery) => historyOf(db, subject, query);

async function refuseProblems(calendar: PutCalendar): Promise<void> {
  const problems = problemsOf(calendar, await findCountry(calendar.country));
  if (problems.length > 0) throw unprocessable(problems);
}

/** Of a calendar that nobody has saved yet, or of the one that is. */
export async function previewCalendar(calendar: PutCalendar, year: number): Promise<CalendarYear> {
  await refuseProblems(calendar);
  return { year, days: daysOfYear(year, await publicHolidays(calendar, year), calendar.holidays) };
}

export const readCountries = async (): Promise<CalendarCountries> => ({ data: await listCountries() });
