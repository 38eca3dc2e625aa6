import { expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import type { Knex } from 'knex';
import type { ChildRole } from './child.ts';
import { type Child, startChild } from './child-process.ts';
import {
  commit,
  customerChanged,
  effectsOf,
  gaveUpOn,
  newRelay,
  outbox,
  publishAll,
  queues,
  record,
} from './events.ts';
import type { World } from './world.ts';

/** Real processes, really killed. `fragile` gives up on a message after a few returns. */
export function crashTests(world: () => World, fragile: () => Promise<World>): void {
  test.each<ChildRole>(['die-before-publish', 'die-before-mark'])(
    'a committed event is delivered, once in effect, when its relay %s',
    async (role) => {
      const { db, settings } = world();
      const bus = await world().bus();
      await record({ db, bus, queue: queues.work });
      const [event] = await commit(db, 1);
      await startChild(role, settings).dead;
      expect(await db('outbox').whereNull('published_at')).toHaveLength(1);
      const relay = newRelay(db, bus);
      relay.start();
      await eventually(async () => expect(await db('outbox').whereNull('published_at')).toEqual([]));
      await relay.stop();
      const marker = (await commit(db, 1))[0];
      await publishAll(db, bus);
      await eventually(async () =>
        expect((await effectsOf(db, queues.work)).map(({ event_id }) => event_id)).toEqual([event?.id, marker?.id]),
      );
    },
  );

  test('messages in work when their consumer is killed are done by another, once', async () => {
    const { db, settings } = world();
    const bus = await world().bus();
    const child = startChild('hold', settings);
    expect(await child.says('ready')).toBe(true);
    const committed = await commit(db, 30);
    await publishAll(db, bus);
    expect(await child.says('working')).toBe(true);
    await record({ db, bus, queue: queues.work });
    await child.kill();
    await eventually(async () => expect(await effectsOf(db, queues.work)).toHaveLength(committed.length));
    expect(await db('dead_letters')).toEqual([]);
  });

  test('a message that kills its consumers ends as a dead letter and takes no other message along', async () => {
    const sick = await fragile();
    try {
      const { db, settings } = sick;
      const bus = await sick.bus();
      // The queue must be there before anything is published to it.
      await (await record({ db, bus, queue: queues.work })).close();
      const innocent = Array.from({ length: 8 }, (_, n) => customerChanged(`C-${n}`, 1));
      const list = [...innocent.slice(0, 4), customerChanged('POISON', 1), ...innocent.slice(4)];
      await db.transaction((trx) => outbox.addMany(trx, list));
      await publishAll(db, bus);
      while ((await db('dead_letters')).length === 0) await liveAndDie(db, startChild('die-on-poison', settings));
      const [letter] = await db('dead_letters');
      expect(letter).toMatchObject({ queue: queues.work.name, subject: 'POISON' });
      expect(letter.error).toMatch(/consumers died/);
      expect(await db('effects').where({ queue: gaveUpOn }).pluck('subject')).toEqual(['POISON']);
      const done = await effectsOf(db, queues.work);
      expect(done.map(({ subject }) => subject).sort()).toEqual(innocent.map(({ data }) => data.customer_id));
      expect(await db('dead_letters')).toHaveLength(1);
    } finally {
      await sick.close();
    }
  });

  test('a clean close waits for what is in work; the rest goes to the next consumer', async () => {
    const { db } = world();
    const closing = await world().bus();
    const inWork = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    await record({
      db,
      bus: closing,
      queue: queues.work,
      before: async () => {
        inWork.resolve();
        await release.promise;
      },
    });
    const committed = await commit(db, 40);
    const publisher = await world().bus();
    await publishAll(db, publisher);
    await inWork.promise;
    const closed = closing.close();
    const early = await Promise.race([closed.then(() => 'closed'), publisher.check().then(() => 'still open')]);
    expect(early).toBe('still open');
    release.resolve();
    await closed;
    const done = await effectsOf(db, queues.work);
    expect(done.length).toBeGreaterThan(0);
    expect(done.length).toBeLessThanOrEqual(queues.work.batch);
    await record({ db, bus: publisher, queue: queues.work });
    await eventually(async () => expect(await effectsOf(db, queues.work)).toHaveLength(committed.length));
  });
}

/** Until it dies of the poison, or keeps it as a dead letter: then it is ended. */
async function liveAndDie(db: Knex, child: Child): Promise<void> {
  let isDead = false;
  void child.dead.then(() => {
    isDead = true;
  });
  await eventually(async () => expect(isDead || (await db('dead_letters')).length > 0).toBe(true));
  await child.kill();
}
