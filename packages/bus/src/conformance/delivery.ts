import { expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { UnroutableError } from '../errors.ts';
import { createRelay } from '../relay.ts';
import {
  commit,
  communicationReceived,
  customerChanged,
  effectsOf,
  outbox,
  publishAll,
  queues,
  record,
  versionOf,
} from './events.ts';
import { silent, type World } from './world.ts';

/** What arrives where, how often and in which order, as long as nothing fails. */
export function deliveryTests(world: () => World): void {
  test('an event reaches every queue bound to its type, once each, and no other', async () => {
    const { db } = world();
    const bus = await world().bus();
    const bound = [queues.work, queues.audit, queues.mirror];
    for (const queue of [...bound, queues.renewals]) await record({ db, bus, queue });
    const committed = await commit(db, 25);
    await publishAll(db, bus);
    for (const queue of bound)
      await eventually(async () => expect(ids(await effectsOf(db, queue))).toEqual(ids(committed)));
    expect(await effectsOf(db, queues.renewals)).toEqual([]);
  });

  test('with one consumer, what is said of a customer arrives in the order it was committed', async () => {
    const { db } = world();
    const bus = await world().bus();
    const customers = Array.from({ length: 20 }, (_, n) => `C-${n}`);
    await record({ db, bus, queue: queues.work });
    const committed = await commit(db, 1_000, customers);
    await publishAll(db, bus);
    const effects = await eventually(async () => {
      const all = await effectsOf(db, queues.work);
      expect(all).toHaveLength(committed.length);
      return all;
    });
    for (const customer of customers) {
      const versions = effects.filter(({ subject }) => subject === customer).map(({ version }) => version);
      expect(versions).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    }
  });

  test('calls follow one another in order, however small', async () => {
    const { db } = world();
    const bus = await world().bus();
    await record({ db, bus, queue: queues.single });
    const committed = await commit(db, 60);
    for (const event of committed) await bus.publish([{ event }]);
    await eventually(async () => expect(await effectsOf(db, queues.single)).toHaveLength(60));
    expect((await effectsOf(db, queues.single)).map(({ version }) => version)).toEqual(committed.map(versionOf));
  });

  test('what comes again changes nothing: in the same batch, later, and to another consumer', async () => {
    const { db } = world();
    const bus = await world().bus();
    const first = await record({ db, bus, queue: queues.work });
    const [event, last] = (await commit(db, 2)).map((each) => ({ event: each }));
    if (!event || !last) throw new Error('two events were committed');
    await bus.publish([event, event, event]);
    await eventually(async () => expect(await effectsOf(db, queues.work)).toHaveLength(1));
    await bus.publish([event]);
    await first.close();
    await record({ db, bus: await world().bus(), queue: queues.work });
    await bus.publish([event, last]);
    await eventually(async () => expect(ids(await effectsOf(db, queues.work))).toEqual(ids([event.event, last.event])));
  });

  test('consumers of one queue share its messages, and each message has its effect once', async () => {
    const { db } = world();
    const publisher = await world().bus();
    const took = [0, 0];
    const bothWork = Promise.withResolvers<void>();
    // Neither goes on before both have something: so each must be given its share.
    const share = async (which: 0 | 1, count: number) => {
      took[which] = (took[which] ?? 0) + count;
      if (took.every((taken) => taken > 0)) bothWork.resolve();
      await bothWork.promise;
    };
    for (const which of [0, 1] as const)
      await record({
        db,
        bus: await world().bus(),
        queue: queues.work,
        before: (events) => share(which, events.length),
      });
    const committed = await commit(db, 500);
    await publishAll(db, publisher);
    await eventually(async () => expect(await effectsOf(db, queues.work)).toHaveLength(committed.length));
    expect(ids(await effectsOf(db, queues.work)).sort()).toEqual(ids(committed).sort());
  });

  test('text arrives as it was written, even what Postgres cannot store', async () => {
    const { db } = world();
    const bus = await world().bus();
    const name = 'nul \u0000, lone \ud800, pair 😀, quote " and \\';
    const heard: unknown[] = [];
    await bus.consume(queues.work, async (messages) => {
      heard.push(...messages.map(({ event }) => event));
      return messages.map(() => ({ done: true }));
    });
    const event = await db.transaction((trx) => outbox.add(trx, customerChanged('C-1', 1, name)));
    await publishAll(db, bus);
    await eventually(() => expect(heard).toEqual([event]));
  });

  test('an event nobody waits for is published all the same', async () => {
    const { db } = world();
    const bus = await world().bus();
    await commit(db, 1);
    await publishAll(db, bus);
    expect(await db('outbox').whereNull('published_at')).toEqual([]);
  });

  test('an event that must arrive waits until its queue is there, and holds up no other', async () => {
    const { db } = world();
    const bus = await world().bus();
    const routes = [{ type: 'customer.changed', queue: queues.work.name }];
    expect(await bus.missingRoutes(routes)).toEqual(routes);
    const relay = createRelay({ db, bus, logger: silent, routes, batch: 2 });
    const committed = await commit(db, 3);
    const other = await db.transaction((trx) => outbox.add(trx, communicationReceived('C-1')));
    expect(await relay.runOnce()).toEqual({ published: 1 });
    expect((await db('outbox').whereNotNull('published_at')).map(({ event_id }) => event_id)).toEqual([other.id]);

    await record({ db, bus, queue: queues.work });
    expect(await bus.missingRoutes(routes)).toEqual([]);
    while ((await relay.runOnce()).published > 0);
    await eventually(async () => expect(ids(await effectsOf(db, queues.work))).toEqual(ids(committed)));
    await relay.stop();
  });

  test('a message for a queue that is not there says so; the others of the call are published', async () => {
    const { db } = world();
    const bus = await world().bus();
    await record({ db, bus, queue: queues.work });
    const [one, two] = await db.transaction((trx) =>
      outbox.addMany(trx, [customerChanged('C-1', 1), customerChanged('C-1', 2)]),
    );
    if (!one || !two) throw new Error('two events were added');
    const lost = { event: two, queue: 'comms-service:nobody:here' };
    const failure = await bus.publish([{ event: one }, lost]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnroutableError);
    expect((failure as UnroutableError).messages).toEqual([lost]);
    await eventually(async () => expect(ids(await effectsOf(db, queues.work))).toEqual([one.id]));
  });

  test('a system with another namespace on the same broker is not heard', async () => {
    const { db } = world();
    const bus = await world().bus();
    const stranger = await world().stranger();
    await record({ db, bus, queue: queues.work });
    const [theirs, ours] = await commit(db, 2);
    if (!theirs || !ours) throw new Error('two events were committed');
    await stranger.publish([{ event: theirs }]);
    await bus.publish([{ event: ours }]);
    await eventually(async () => expect(ids(await effectsOf(db, queues.work))).toEqual([ours.id]));
  });
}

const ids = (list: { id?: string; event_id?: string }[]): string[] =>
  list.map(({ id, event_id }) => event_id ?? id ?? '');
