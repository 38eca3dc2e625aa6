import { useQuery } from '@tanstack/react-query';
import { dayOf, shortDayOf } from '../parts/dates.tsx';
import classes from './due-chart.module.css';
import { type Bar, barsOf, todayOf, typesOf } from './due-weeks.ts';
import { summaryQuery } from './renewal-queries.ts';
import { useServiceNames } from './service-types.ts';

interface DueChartProps {
  windowDays: number;
  serviceType: string | undefined;
  /** Empty: nobody's. */
  agent: string | undefined;
  /** What is chosen: a Monday, or what is overdue. */
  chosen: string | 'overdue' | undefined;
  choose(bar: string | 'overdue' | undefined): void;
}

/** How many fall due, week by week; a bar chosen narrows the list below, and chosen again no more. */
export function DueChart({ windowDays, serviceType, agent, chosen, choose }: DueChartProps) {
  const { data } = useQuery(summaryQuery(agent));
  const nameOf = useServiceNames();
  if (!data) return <div className={classes.chart} />;
  const bars = barsOf(data, todayOf(data), windowDays, serviceType);
  const types = typesOf(bars);
  const most = Math.max(1, ...bars.map(({ total }) => total));
  // A label is wider than its bar, and reaches to where the next one begins.
  const every = Math.ceil((bars.length - 1) / 6);
  return (
    <figure className={classes.chart} aria-label="How many fall due by week">
      <div className={classes.bars}>
        {bars.map((bar, n) => {
          const value = bar.week ?? 'overdue';
          return (
            <button
              key={value}
              type="button"
              className={classes.bar}
              data-overdue={bar.week === null || undefined}
              aria-pressed={chosen === value}
              onClick={() => choose(chosen === value ? undefined : value)}
              title={inWords(bar, nameOf)}
            >
              <span className="visually-hidden">{inWords(bar, nameOf)}</span>
              <span className={classes.count} aria-hidden>
                {bar.total === 0 ? '' : bar.total}
              </span>
              <span className={classes.stack} style={{ height: `${(64 * bar.total) / most}px` }}>
                {bar.parts.map(({ service_type, count }) => (
                  <span
                    key={service_type}
                    className={classes.part}
                    data-shade={types.indexOf(service_type) % 4}
                    style={{ flexGrow: count }}
                  />
                ))}
              </span>
              <span className={classes.week} aria-hidden>
                {bar.week === null
                  ? 'Overdue'
                  : (n - 1) % every === 0 && n + every <= bars.length
                    ? shortDayOf(bar.week)
                    : ''}
              </span>
            </button>
          );
        })}
      </div>
      {types.length > 1 && (
        <figcaption className={classes.legend}>
          {types.map((type, n) => (
            <span key={type}>
              <span className={classes.part} data-shade={n % 4} aria-hidden /> {nameOf(type)}
            </span>
          ))}
        </figcaption>
      )}
    </figure>
  );
}

function inWords({ week, total, parts }: Bar, nameOf: (code: string) => string): string {
  const when = week === null ? 'Overdue' : `Week of ${dayOf(week)}`;
  const list = parts.map(({ service_type, count }) => `${count} ${nameOf(service_type)}`).join(', ');
  return total === 0 ? `${when}: nothing` : `${when}: ${total} (${list})`;
}
