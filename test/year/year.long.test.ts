import { expect, test } from '@jest/globals';
import { liveYear } from './year.ts';

/** Another one, or a larger one, by hand: `YEAR_SEED=7 YEAR_NIGHTS=366 YEAR_CUSTOMERS=200`. */
const seed = Number(process.env.YEAR_SEED ?? 2027);
const nights = Number(process.env.YEAR_NIGHTS ?? 366);
const customers = Number(process.env.YEAR_CUSTOMERS ?? 12);

test(`a year of ${nights} nights and ${customers} customers, seed ${seed}: nobody falls through`, async () => {
  const year = await liveYear({ seed, nights, customers, renewals: 2 * customers });
  console.log(`seed ${seed}: ${JSON.stringify(year)}`);
  const { deaths, alerts, messages, people, evenings } = year;
  for (const some of [...Object.values(deaths), ...Object.values(messages), ...Object.values(alerts)])
    expect(some).toBeGreaterThan(0);
  expect([people.answers > nights / 10, people.absences > nights / 30, evenings.broken]).toEqual([true, true, 0]);
}, 3_600_000);
