import { afterAll, afterEach, beforeEach, describe } from '@jest/globals';
import { crashTests } from './crashes.ts';
import { deliveryTests } from './delivery.ts';
import { failureTests } from './failures.ts';
import { outageTests } from './outages.ts';
import { tapTests } from './taps.ts';
import type { Adapter, World } from './world.ts';

/** The promises of `port.ts`, asked of one adapter. Each test has a namespace of its own on the broker. */
export function conformanceSuite(adapter: Adapter): void {
  describe(adapter.name, () => {
    describe.each([
      ['delivery', deliveryTests],
      ['failures', failureTests],
      ['crashes', (world: () => World) => crashTests(world, () => adapter.world({ deliveryLimit: 5 }))],
      ['taps', tapTests],
    ])('%s', (_, tests) => {
      let world: World;
      beforeEach(async () => {
        world = await adapter.world();
      });
      afterEach(() => world.close());
      tests(() => world);
    });
    describe('outages', () => outageTests(adapter));
    afterAll(() => adapter.close());
  });
}
