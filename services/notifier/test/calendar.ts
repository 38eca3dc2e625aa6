import { type Calendar, weekdays } from '@ops/contracts/resources/calendar';
import type { Db } from '@ops/service-kit/database';

/** The firm works then; at any time, unless a test is about that. */
export async function worksAt(db: Db, given: Partial<Calendar> = {}): Promise<void> {
  const { working_days, hours, holidays, country, region } = { ...always, ...given };
  const json = JSON.stringify;
  await db('calendar').update({
    working_days: json(working_days),
    hours: json(hours),
    holidays: json(holidays),
    country,
    region,
  });
}

const always = {
  working_days: [...weekdays],
  hours: { from: '00:00', until: '24:00' },
  holidays: [],
  country: null,
  region: null,
};
