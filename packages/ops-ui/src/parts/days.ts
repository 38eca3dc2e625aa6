/** Plain dates, which are days and never instants. */
const dayMs = 86_400_000;

export const daysAfter = (plainDate: string, days: number): string =>
  new Date(Date.parse(plainDate) + days * dayMs).toISOString().slice(0, 10);

export const mondayOf = (plainDate: string): string =>
  daysAfter(plainDate, -((new Date(plainDate).getUTCDay() + 6) % 7));

/** Plain days from one to another. */
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / dayMs;

/** The plain days that stand among words, each written as `write` has it; what only looks like one stays. */
export const withDaysWritten = (words: string, write: (plainDate: string) => string): string =>
  words.replace(/(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])/g, (found) =>
    Number.isNaN(Date.parse(found)) ? found : write(found),
  );

/** The plain day it is where the person sits. */
export function dayAt(now: number): string {
  const date = new Date(now);
  return new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())).toISOString().slice(0, 10);
}
