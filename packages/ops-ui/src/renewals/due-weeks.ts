import { daysAfter, mondayOf } from '../parts/days.ts';

interface Count {
  service_type: string;
  count: number;
}

export interface Bar {
  /** Its Monday; null: what is overdue. */
  week: string | null;
  total: number;
  /** By service type, in the order of `types`. */
  parts: Count[];
}

interface Summary {
  by_service_type: (Count & { status: string })[];
  by_week: (Count & { week: string })[];
}

/** One bar for what is overdue, then one a week until the window ends, weeks with nothing due included. */
export function barsOf(summary: Summary, today: string, windowDays: number, serviceType: string | undefined): Bar[] {
  const isShown = ({ service_type }: Count) => serviceType === undefined || service_type === serviceType;
  const overdue = summary.by_service_type.filter((one) => one.status === 'OVERDUE' && isShown(one));
  const weeks = summary.by_week.filter(isShown);
  const last = daysAfter(today, windowDays);
  const bars = [barOf(null, overdue)];
  for (let week = mondayOf(today); week <= last; week = daysAfter(week, 7))
    bars.push(
      barOf(
        week,
        weeks.filter((one) => one.week === week),
      ),
    );
  return bars;
}

/** The days that the bar of a week stands for: what was due before today is overdue, and in the bar of that. */
export const daysOf = (week: string, today: string) => ({
  from: week < today ? today : week,
  to: daysAfter(week, 6),
});

/** From which all of it is counted: the day of the last refresh. */
export const todayOf = ({ as_of }: { as_of: string | null }): string => as_of ?? new Date().toISOString().slice(0, 10);

const barOf = (week: string | null, parts: Count[]): Bar => ({
  week,
  total: parts.reduce((sum, { count }) => sum + count, 0),
  parts: parts.toSorted((a, b) => (a.service_type < b.service_type ? -1 : 1)),
});

/** Every service type that a bar shows, in one order. */
export const typesOf = (bars: readonly Bar[]): string[] =>
  [...new Set(bars.flatMap(({ parts }) => parts.map(({ service_type }) => service_type)))].sort();
