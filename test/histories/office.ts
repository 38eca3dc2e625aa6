import type { PlainDate } from '@ops/contracts/dates';
import { weekdays } from '@ops/contracts/resources/calendar';
import type { Rung } from '@ops/contracts/resources/renewal';
import fc from 'fast-check';
import type { Waiting } from '../../services/notifier/src/planning/leaving.rules.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const dayOf = (date: PlainDate): number => Date.parse(date) / dayMs;
const dateOf = (day: number): PlainDate => new Date(day * dayMs).toISOString().slice(0, 10);

/** When a firm in UTC works, and when it is quiet where its customer is; all of it in whole hours. */
export interface Office {
  /** Monday is 0. */
  days: readonly number[];
  from: number;
  until: number;
  /** By days from the first on. */
  holidays: readonly { first: number; days: number }[];
  quiet: { from: number; until: number } | null;
  /** Of the customer: hours ahead of UTC. */
  ahead: number;
}

const hour = (min: number, max: number) => fc.integer({ min, max });

export const office: fc.Arbitrary<Office> = fc.record({
  days: fc.oneof(
    { weight: 4, arbitrary: fc.constant([0, 1, 2, 3, 4]) },
    { weight: 2, arbitrary: fc.constant([0, 1, 2, 3, 4, 5, 6]) },
    fc.uniqueArray(hour(0, 6), { minLength: 1, maxLength: 3 }),
  ),
  from: hour(7, 13),
  until: hour(14, 24),
  holidays: fc.array(fc.record({ first: hour(1, 90), days: hour(1, 6) }), { maxLength: 6 }),
  quiet: fc.option(
    fc.oneof(
      fc.constant({ from: 20, until: 8 }),
      fc.tuple(hour(0, 23), hour(1, 20)).map(([from, long]) => ({ from, until: (from + long) % 24 })),
    ),
    { freq: 4 },
  ),
  ahead: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, hour(-11, 12)),
});

/** As the services are told of it. */
export function waitingAt({ days, from, until, holidays, quiet, ahead }: Office, firstDay: PlainDate): Waiting {
  const time = (at: number) => `${String(at).padStart(2, '0')}:00`;
  const closed = holidays.flatMap((one) =>
    Array.from({ length: one.days }, (_, n) => [dateOf(dayOf(firstDay) + one.first + n), 'Holiday'] as const),
  );
  return {
    time: {
      working_days: days.map((day) => weekdays[day] as (typeof weekdays)[number]),
      hours: { from: time(from), until: time(until) },
      closed: new Map(closed),
      timeZone: 'UTC',
    },
    quietHours: quiet && { from: time(quiet.from), until: time(quiet.until) },
    zone: `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`,
  };
}

/** Said once more, hour by hour and without the services' rules: when a message may leave. */
export class Hours {
  readonly #office: Office;
  readonly #firstDay: number;

  constructor(office: Office, firstDay: PlainDate) {
    this.#office = office;
    this.#firstDay = dayOf(firstDay);
  }

  /** In the firm's hours, if that is in time: within three days, and before the date is past. */
  mayLeave(at: Date, { rung, due_date }: { rung: Rung; due_date: PlainDate }): boolean {
    const now = Math.floor(at.getTime() / hourMs);
    if (this.#isQuiet(now)) return false;
    if (rung === 'OVERDUE') return true;
    const open = this.#first(now, 3 * 24, (one) => this.#isOpen(one));
    const next = open ?? this.#first(now, 60 * 24, (one) => this.#isWorkingDay(one));
    return next === undefined || next === now || Math.floor(next / 24) > dayOf(due_date);
  }

  /** An hour since then, and before now, in which it might have left. */
  missed(since: Date, until: Date, about: { rung: Rung; due_date: PlainDate }): Date | undefined {
    for (let at = since.getTime(); at < until.getTime(); at += hourMs)
      if (this.mayLeave(new Date(at), about)) return new Date(at);
    return undefined;
  }

  #first(from: number, hours: number, is: (hour: number) => boolean): number | undefined {
    for (let one = from; one <= from + hours; one += 1) if (is(one) && !this.#isQuiet(one)) return one;
    return undefined;
  }

  #isOpen(hour: number): boolean {
    const ofDay = hour % 24;
    return this.#isWorkingDay(hour) && ofDay >= this.#office.from && ofDay < this.#office.until;
  }

  #isWorkingDay(hour: number): boolean {
    const day = Math.floor(hour / 24);
    // The first day of all times was a Thursday.
    if (!this.#office.days.includes((day + 3) % 7)) return false;
    const ofLife = day - this.#firstDay;
    return !this.#office.holidays.some(({ first, days }) => ofLife >= first && ofLife < first + days);
  }

  #isQuiet(hour: number): boolean {
    const { quiet, ahead } = this.#office;
    if (!quiet) return false;
    const there = (hour + ahead) % 24;
    return quiet.from < quiet.until
      ? there >= quiet.from && there < quiet.until
      : there >= quiet.from || there < quiet.until;
  }
}
