import { addDays, type PlainDate } from '@ops/contracts/dates';
import type Holidays from 'date-holidays';
import type { Country } from './calendar.rules.ts';

type Library = typeof Holidays;

/** It brings the rules of the whole world: loaded when somebody first asks for a country. */
let library: Promise<Library> | undefined;

async function load(): Promise<Library> {
  library ??= import('date-holidays').then((module) => module.default);
  return library;
}

const years = new Map<string, ReadonlyMap<PlainDate, string>>();

/** More than the years and places that a firm ever looks at together. */
const mostYears = 200;

/** Public holidays that take a whole day, by date; none without a country. */
export async function publicHolidays(
  { country, region }: { country: string | null; region: string | null },
  year: number,
): Promise<ReadonlyMap<PlainDate, string>> {
  if (!country) return new Map();
  const key = `${country} ${region} ${year}`;
  const known = years.get(key);
  if (known) return known;
  const Library = await load();
  const options = { types: ['public' as const], languages: ['en'] };
  const rules = region ? new Library(country, region, options) : new Library(country, options);
  const found = new Map(rules.getHolidays(year).flatMap((holiday) => wholeDays(holiday, year)));
  if (years.size >= mostYears) years.clear();
  years.set(key, found);
  return found;
}

interface Holiday {
  date: string;
  start: Date;
  end: Date;
  name: string;
  type: string;
}

const dayMs = 86_400_000;

/** Some take several days, some only an afternoon; a day on which the clocks change has not 24 hours. */
function wholeDays({ date, start, end, name, type }: Holiday, year: number): [PlainDate, string][] {
  if (type !== 'public' || date.slice(11, 16) !== '00:00') return [];
  const count = Math.max(1, Math.round((end.getTime() - start.getTime()) / dayMs));
  const days = Array.from({ length: count }, (_, index) => addDays(date.slice(0, 10), index));
  return days.filter((day) => day.startsWith(`${year}-`)).map((day) => [day, name]);
}

export async function listCountries(): Promise<Country[]> {
  const all = new (await load())();
  return Object.entries(all.getCountries('en') ?? {})
    .map(([code, name]) => ({ code, name, regions: named(all.getStates(code, 'en')) }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
}

/** Undefined: nobody knows such a country. Nothing is loaded where none is asked for. */
export const findCountry = async (code: string | null): Promise<Country | undefined> =>
  code === null ? undefined : (await listCountries()).find((one) => one.code === code);

const named = (names: Record<string, string> | undefined): Country['regions'] =>
  Object.entries(names ?? {}).map(([code, name]) => ({ code, name }));
