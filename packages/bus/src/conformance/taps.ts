import { expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { eventKey } from '../inbox.ts';
import { commit, customerChanged, effectsOf, outbox, publishAll, queues, record } from './events.ts';
import type { World } from './world.ts';

/** Live screens: what is published from now on, whole, and nothing after the close. */
export function tapTests(world: () => World): void {
  test('a tap hears its types whole, of any size, in order, and nothing once it is closed', async () => {
    const { db } = world();
    const bus = await world().bus();
    const heard: unknown[] = [];
    const listener = { event: (event: { data: unknown }) => heard.push(event.data), reset: () => heard.push('reset') };
    const closed = await bus.tap(['customer.changed'], { ...listener, event: () => heard.push('too late') });
    await closed.close();
    await bus.tap(['customer.changed'], listener);
    await bus.tap(['RENEWAL_TRIGGERED'], { ...listener, event: () => heard.push('not asked for') });
    const sizes = [1, 7_000, 9_000, 60_000, 3];
    const events = sizes.map((size, n) => customerChanged('C-1', n + 1, 'ü😀/'.repeat(size)));
    await db.transaction((trx) => outbox.addMany(trx, events));
    await publishAll(db, bus);
    await eventually(() => expect(heard).toEqual(events.map(({ data }) => data)));
  });

  test('what concerns no queue reaches taps alone, in its place among the others', async () => {
    const { db } = world();
    const bus = await world().bus();
    const heard: string[] = [];
    await bus.tap(['customer.changed'], { event: ({ id }) => heard.push(id), reset: () => undefined });
    await record({ db, bus, queue: queues.work });
    const committed = await commit(db, 6);
    const [before, silent, after] = [committed.slice(0, 2), committed.slice(2, 4), committed.slice(4)];
    await bus.publish([...before, ...silent].map((event) => ({ event, live: silent.includes(event) })));
    await bus.publish(silent.map((event) => ({ event, live: true })));
    await bus.publish(after.map((event) => ({ event })));
    await eventually(() => expect(heard).toEqual([...before, ...silent, ...silent, ...after].map(({ id }) => id)));
    await eventually(async () => expect(await effectsOf(db, queues.work)).toHaveLength(4));
    const reached = (await effectsOf(db, queues.work)).map(({ event_id }) => event_id);
    expect(reached).toEqual([...before, ...after].map(eventKey));
  });

  test('what is replayed to one queue is no news to a tap', async () => {
    const { db } = world();
    const bus = await world().bus();
    const heard: string[] = [];
    await bus.tap(['customer.changed'], { event: ({ id }) => heard.push(id), reset: () => undefined });
    const [old, news] = await db.transaction((trx) =>
      outbox.addMany(trx, [customerChanged('C-1', 1), customerChanged('C-1', 2)]),
    );
    if (!old || !news) throw new Error('two events were added');
    await bus.publish([{ event: old, queue: 'comms-service:nobody:here' }]).catch(() => undefined);
    await bus.publish([{ event: news }]);
    await eventually(() => expect(heard).toEqual([news.id]));
  });
}
