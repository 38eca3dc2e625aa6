import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startWorld, type World } from '../../test/world.ts';
import { liveYear } from '../../test/year.ts';

/**
 * A year, night by night. Another one, or a larger one, by hand:
 * `REFRESH_YEAR_SEED=7 REFRESH_YEAR_RENEWALS=10000 REFRESH_YEAR_NIGHTS=366`.
 */
const seed = Number(process.env.REFRESH_YEAR_SEED ?? 2026);
const count = Number(process.env.REFRESH_YEAR_RENEWALS ?? 75);
const nights = Number(process.env.REFRESH_YEAR_NIGHTS ?? 366);

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(() => world.empty());

test(
  `a year of ${nights} nights and ${count} renewals, with seed ${seed}`,
  async () => {
    const year = await liveYear(world, { seed, count, nights });
    console.log(`seed ${seed}: ${JSON.stringify(year)}`);
    expect(year.datesAlerted).toBeGreaterThan(count / 4);
    expect(year.afterHolds).toBeGreaterThan(nights / 50);
    expect(year.killed['something done']).toBeGreaterThan(nights / 50);
  },
  6 * 3_600_000,
);

test('the same seed gives the same year, kills and all; another one another', async () => {
  const short = { count: 40, nights: 25 };
  const digests = [];
  for (const one of [seed, seed, seed + 1]) {
    await world.empty();
    digests.push((await liveYear(world, { ...short, seed: one })).digest);
  }
  expect(digests).toEqual([digests[0], digests[0], expect.not.stringMatching(digests[0] as string)]);
});
