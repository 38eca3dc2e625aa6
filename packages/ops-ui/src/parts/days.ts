/** Plain dates, which are days and never instants. */
const dayMs = 86_400_000;

export const daysAfter = (plainDate: string, days: number): string =>
  new Date(Date.parse(plainDate) + days * dayMs).toISOString().slice(0, 10);

export const mondayOf = (plainDate: string): string =>
  daysAfter(plainDate, -((new Date(plainDate).getUTCDay() + 6) % 7));
