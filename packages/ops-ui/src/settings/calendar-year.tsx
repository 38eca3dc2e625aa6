import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { dayOf, useToday } from '../parts/dates.tsx';
import classes from './calendar.module.css';
import { type CalendarDraft, changeInWords, changeOf, closedBecause, monthsOf, type Year } from './calendar-days.ts';
import { yearQuery } from './calendar-queries.ts';

interface YearProps {
  year: number;
  choose(year: number): void;
  saved: CalendarDraft;
  typed: CalendarDraft;
  isDirty: boolean;
}

/** A year as it would be, what differs from what is saved marked in it. */
export function CalendarYearView({ year, choose, saved, typed, isDirty }: YearProps) {
  const before = useQuery({ ...yearQuery(year, saved, saved), placeholderData: keepPreviousData }).data;
  const after = useQuery(yearQuery(year, typed, saved)).data;
  const [then, now] = [before?.days ?? [], after?.days ?? []];
  const shown: Year = { working: typed.working_days, days: now };
  const change = changeOf(year, { working: saved.working_days, days: then }, shown);
  return (
    <section aria-labelledby="calendar-year" className={classes.year}>
      <div className={classes.heading}>
        <h3 id="calendar-year">{year}</h3>
        <ActionIcon variant="default" aria-label={`${year - 1}`} onClick={() => choose(year - 1)}>
          <IconChevronLeft size={16} />
        </ActionIcon>
        <ActionIcon variant="default" aria-label={`${year + 1}`} onClick={() => choose(year + 1)}>
          <IconChevronRight size={16} />
        </ActionIcon>
        <span role="status" className={classes.change}>
          {isDirty && before && after && changeInWords(change, year)}
        </span>
      </div>
      <div className={classes.months}>
        {monthsOf(year).map((month) => (
          <Month key={month.first} {...month} shown={shown} changed={[...change.closed, ...change.opened]} />
        ))}
      </div>
      <Key />
      <HolidayList days={now} />
    </section>
  );
}

const monthName = new Intl.DateTimeFormat(undefined, { month: 'long', timeZone: 'UTC' });

interface MonthProps {
  first: string;
  weeks: (string | null)[][];
  shown: Year;
  changed: readonly string[];
}

function Month({ first, weeks, shown, changed }: MonthProps) {
  const today = useToday();
  return (
    <table className={classes.month}>
      <caption>{monthName.format(new Date(first))}</caption>
      <tbody>
        {weeks.map((week) => (
          <tr key={week.find((date) => date !== null)}>
            {week.map((date, at) => {
              if (!date) return <td key={`none-${at}`} />;
              const closed = closedBecause(date, shown.working, shown.days);
              return (
                <td
                  key={date}
                  data-kind={closed?.kind}
                  data-changed={changed.includes(date) || undefined}
                  data-today={date === today || undefined}
                  title={closed?.name}
                >
                  {Number(date.slice(8))}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Key = () => (
  <ul className={classes.key} aria-label="What the days mean">
    <li>
      <span data-kind="weekend">1</span> No working day
    </li>
    <li>
      <span data-kind="public">1</span> Public holiday
    </li>
    <li>
      <span data-kind="own">1</span> The firm’s own
    </li>
    <li>
      <span data-changed>1</span> Not saved yet
    </li>
  </ul>
);

/** The same in words. */
function HolidayList({ days }: { days: Year['days'] }) {
  if (days.length === 0) return <p className={classes.none}>No holidays in this year.</p>;
  return (
    <ul className={classes.list} aria-label="Holidays">
      {days.map(({ date, name, kind, closed }) => (
        <li key={date}>
          <span>{dayOf(date)}</span>
          <span>
            {name}
            {kind === 'own' && <em>{closed ? ', the firm’s own' : ', we work'}</em>}
          </span>
        </li>
      ))}
    </ul>
  );
}
