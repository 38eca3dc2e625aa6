import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startWorld, type World } from '../../test/world.ts';
import { liveYear } from '../../test/year.ts';

const seed = 2026;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(() => world.empty());

test('the first sixty nights of a year', async () => {
  const [count, nights] = [150, 60];
  const year = await liveYear(world, { seed, count, nights });
  expect(year.datesAlerted).toBeGreaterThan(count / 4);
  expect(year.nights.killed).toBeGreaterThan(0);
}, 240_000);

test('the same seed gives the same year, kills and all; another one another', async () => {
  const short = { count: 40, nights: 25 };
  const digests = [];
  for (const one of [seed, seed, seed + 1]) {
    await world.empty();
    digests.push((await liveYear(world, { ...short, seed: one })).digest);
  }
  expect(digests).toEqual([digests[0], digests[0], expect.not.stringMatching(digests[0] as string)]);
}, 240_000);
