import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import type { Bus } from '../port.ts';
import { commit, customerChanged, effectsOf, newRelay, outbox, queues, record } from './events.ts';
import type { Adapter, OwnNodeWorld } from './world.ts';

/** The broker is killed and comes back: its own node, for every test of this file. */
export function outageTests(adapter: Adapter): void {
  let world: OwnNodeWorld;
  let bus: Bus;

  beforeAll(async () => {
    world = await adapter.ownNodeWorld();
    bus = await world.bus();
  });
  afterAll(() => world.close());

  test('broker killed mid-stream: everything arrives, nothing twice in effect', async () => {
    const { db } = world;
    const halfway = Promise.withResolvers<void>();
    let taken = 0;
    await record({
      db,
      bus,
      queue: queues.work,
      before: (events) => {
        taken += events.length;
        if (taken > 600) halfway.resolve();
      },
    });
    const committed = await commit(db, 2_000, ['C-1', 'C-2']);
    const relay = newRelay(db, bus, 1_000);
    relay.start();
    await halfway.promise;
    await world.kill();
    await world.start();
    await eventually(async () => expect(await effectsOf(db, queues.work)).toHaveLength(committed.length), {
      timeoutMs: 45_000,
    });
    await relay.stop();
    const ids = (await effectsOf(db, queues.work)).map(({ event_id }) => event_id);
    expect(new Set(ids)).toEqual(new Set(committed.map(({ id }) => id)));
    expect(await db('dead_letters')).toEqual([]);
  });

  test('while the broker is down publishing rejects and check tells; when it is back the relay goes on and taps fetch anew', async () => {
    const { db } = world;
    await record({ db, bus, queue: queues.audit });
    const heard: string[] = [];
    const tap = await bus.tap(['customer.changed'], {
      event: ({ subject }) => heard.push(subject),
      reset: () => heard.push('reset'),
    });
    const event = await db.transaction((trx) => outbox.add(trx, customerChanged('C-9', 1)));
    await world.kill();
    // A session may outlive the server it was begun on by a moment.
    await eventually(() => expect(bus.publish([{ event }])).rejects.toThrow());
    await expect(bus.check()).rejects.toThrow();
    const relay = newRelay(db, bus, 1_000);
    await expect(relay.runOnce()).rejects.toThrow();
    relay.start();
    await world.start();
    const ofThis = async () => (await effectsOf(db, queues.audit)).filter(({ event_id }) => event_id === event.id);
    await eventually(async () => expect(await ofThis()).toHaveLength(1), { timeoutMs: 30_000 });
    await eventually(() => bus.check());

    // Of what was published while it was away a tap may hear or not.
    const ofTap = () => heard.filter((one) => one !== 'C-9');
    await eventually(() => expect(ofTap()).toEqual(['reset']), { timeoutMs: 30_000 });
    await db.transaction((trx) => outbox.add(trx, customerChanged('C-7', 1)));
    await eventually(() => expect(ofTap()).toEqual(['reset', 'C-7']));
    await relay.stop();
    await tap.close();
  });

  test('a close while the broker is away ends', async () => {
    await world.kill();
    await bus.close();
    await expect(bus.publish([])).rejects.toThrow();
  });
}
