import { expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { commit, effectsOf, newRelay, queues, record } from './events.ts';
import type { World } from './world.ts';

/** As much as comes in on a busy day, at once. */
export function volumeTests(world: () => World): void {
  test('of 10,000 messages none is lost and none is doubled', async () => {
    const { db } = world();
    const bus = await world().bus();
    await record({ db, bus, queue: { ...queues.work, batch: 100, prefetch: 400 } });
    const relay = newRelay(db, bus);
    relay.start();
    const committed = await commit(db, 10_000, ['C-1', 'C-2', 'C-3']);
    await eventually(
      async () => expect(await db('effects').count('* as n').first()).toEqual({ n: String(committed.length) }),
      { timeoutMs: 50_000 },
    );
    await relay.stop();
    expect(new Set((await effectsOf(db, queues.work)).map(({ event_id }) => event_id))).toEqual(
      new Set(committed.map(({ id }) => id)),
    );
    expect(await db('outbox').whereNull('published_at')).toEqual([]);
    expect(await db('dead_letters')).toEqual([]);
  });
}
