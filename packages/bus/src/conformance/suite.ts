import { afterAll, afterEach, beforeEach, describe } from '@jest/globals';
import { crashTests } from './crashes.ts';
import { deliveryTests } from './delivery.ts';
import { failureTests } from './failures.ts';
import { outageTests } from './outages.ts';
import { tapTests } from './taps.ts';
import { volumeTests } from './volume.ts';
import type { Adapter, World } from './world.ts';

type Tests = (world: () => World) => void;

/** The promises of `port.ts`, asked of one adapter. */
export function conformanceSuite(adapter: Adapter): void {
  describe(adapter.name, () => {
    eachInItsWorld(adapter, {
      delivery: deliveryTests,
      failures: failureTests,
      crashes: (world) => crashTests(world, () => adapter.world({ deliveryLimit: 3 })),
      taps: tapTests,
    });
    describe('outages', () => outageTests(adapter));
    afterAll(() => adapter.close());
  });
}

/** The same when there is much of it. */
export function volumeSuite(adapter: Adapter): void {
  describe(adapter.name, () => {
    eachInItsWorld(adapter, { volume: volumeTests });
    afterAll(() => adapter.close());
  });
}

/** Each test has a namespace of its own on the broker. */
function eachInItsWorld(adapter: Adapter, groups: Record<string, Tests>): void {
  describe.each(Object.entries(groups))('%s', (_, tests) => {
    let world: World;
    beforeEach(async () => {
      world = await adapter.world();
    });
    afterEach(() => world.close());
    tests(() => world);
  });
}
