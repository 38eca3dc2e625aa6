import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startWorld, type World } from '../../test/world.ts';
import { liveYear } from '../../test/year.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(() => world.empty());

test('the first sixty nights of a year', async () => {
  const [count, nights] = [150, 60];
  const year = await liveYear(world, { seed: 2026, count, nights });
  expect(year.datesAlerted).toBeGreaterThan(count / 4);
  expect(year.nights.killed).toBeGreaterThan(0);
  expect(year.afterHolds).toBeGreaterThan(0);
});
