/** A calendar date as `YYYY-MM-DD`, never an instant: no time zone and no daylight saving reaches it. */
export type PlainDate = string;

const dayMs = 86_400_000;

/** Days are counted at UTC midnight, where each has 24 hours. */
const toMs = (date: PlainDate): number => Date.parse(`${date}T00:00:00Z`);
const fromMs = (ms: number): PlainDate => new Date(ms).toISOString().slice(0, 10);

export const addDays = (date: PlainDate, days: number): PlainDate => fromMs(toMs(date) + days * dayMs);

/** From the first to the second; negative when the second is earlier. */
export const daysBetween = (from: PlainDate, to: PlainDate): number => (toMs(to) - toMs(from)) / dayMs;

export const dayOfMonth = (date: PlainDate): number => Number(date.slice(8, 10));

/** On the anchor day of the month it leads to, or that month's last day: 31 January, February's end, 31 March. */
export function addMonths(date: PlainDate, months: number, anchorDay = dayOfMonth(date)): PlainDate {
  const month = monthsSinceYearZero(date) + months;
  return `${monthOf(month)}-${twoDigits(Math.min(anchorDay, lastDayOf(month)))}`;
}

const monthsSinceYearZero = (date: PlainDate) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;

const monthOf = (month: number) => `${String(Math.floor(month / 12)).padStart(4, '0')}-${twoDigits((month % 12) + 1)}`;

const lastDayOf = (month: number) => dayOfMonth(addDays(`${monthOf(month + 1)}-01`, -1));

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** 0 is Monday. */
export const weekdayOf = (date: PlainDate): number => (new Date(toMs(date)).getUTCDay() + 6) % 7;

/** The Monday of its week. */
export const mondayOf = (date: PlainDate): PlainDate => addDays(date, -weekdayOf(date));
