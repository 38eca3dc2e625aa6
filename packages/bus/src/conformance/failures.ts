import { expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { createDeadLetters } from '../dead-letters.ts';
import { AlreadyReplayedError } from '../errors.ts';
import type { Bus } from '../port.ts';
import { execute } from '../sql.ts';
import { commit, effectsOf, outbox, publishAll, queues, record } from './events.ts';
import type { World } from './world.ts';

/** What becomes of messages whose handler fails. */
export function failureTests(world: () => World): void {
  test('a failed message comes again after its delay, counted, and holds up nobody', async () => {
    const { db } = world();
    const bus = await world().bus();
    const seen: { id: string; attempt: number }[] = [];
    const [late, ...others] = await commit(db, 5);
    await bus.consume(queues.single, async (messages) =>
      messages.map(({ event, attempt }) => {
        const { id } = event as { id: string };
        seen.push({ id, attempt });
        return id === late?.id && attempt < 3 ? { retryAfterMs: attempt === 1 ? 200 : 50 } : { done: true };
      }),
    );
    await publishAll(db, bus);
    await eventually(() => expect(seen).toHaveLength(7));
    const tries = seen.flatMap(({ id, attempt }, n) => (id === late?.id ? [{ attempt, n }] : []));
    expect(tries.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(tries[0]?.n).toBe(0);
    expect(tries[1]?.n).toBeGreaterThan(1);
    expect(seen.filter(({ id }) => id !== late?.id)).toEqual(others.map(({ id }) => ({ id, attempt: 1 })));
  });

  test('a message that could not be tried comes again uncounted', async () => {
    const { db } = world();
    const bus = await world().bus();
    const seen: number[] = [];
    await bus.consume(queues.work, async (messages) => {
      seen.push(...messages.map(({ attempt }) => attempt));
      if (seen.length < 3) throw new Error('the database is away');
      return messages.map(() => ({ done: true }));
    });
    await commit(db, 1);
    await publishAll(db, bus);
    await eventually(() => expect(seen).toEqual([1, 1, 1]));
  });

  test('a message that waits for another service holds up nobody; its waits are not among its tries', async () => {
    const { db } = world();
    const bus = await world().bus();
    const seen: number[] = [];
    const [late] = await commit(db, 5);
    await record({
      db,
      bus: noting(bus, late?.id, seen),
      queue: queues.single,
      before: (events) => {
        if (events.every(({ id }) => id !== late?.id)) return;
        throw Object.assign(new Error(`try ${seen.length}`), { away: seen.length < 6 });
      },
    });
    await publishAll(db, bus);
    const letter = await eventually(async () => {
      const row = await db('dead_letters').first();
      expect(row).toBeDefined();
      return row;
    });
    expect(letter).toMatchObject({ event_id: late?.id, attempts: 3, error: 'try 8' });
    expect(seen).toEqual([1, 1, 1, 1, 1, 1, 2, 3]);
    expect(await effectsOf(db, queues.single)).toHaveLength(4);
  });

  test('a poison message among 500 good ones becomes a dead letter, and can be replayed once healed', async () => {
    const { db } = world();
    const bus = await world().bus();
    const letters = createDeadLetters(db, outbox);
    const committed = await commit(db, 501);
    const poison = committed[250]?.id;
    let healed = false;
    const before = (events: { id: string }[]) => {
      if (!healed && events.some(({ id }) => id === poison)) throw new Error('cannot be digested');
    };
    await record({ db, bus, queue: queues.work, before });
    await publishAll(db, bus);

    const [letter] = await eventually(async () => {
      const { data } = await letters.list({ replayed: false, limit: 10 });
      expect(data).toHaveLength(1);
      expect(await effectsOf(db, queues.work)).toHaveLength(500);
      return data;
    });
    expect(letter).toMatchObject({
      queue: queues.work.name,
      event_id: poison,
      event_type: 'customer.changed',
      subject: 'C-1',
      attempts: 3,
      error: 'cannot be digested',
      replayed_at: null,
    });

    healed = true;
    const id = letter?.id ?? '';
    await db.transaction((trx) => letters.replay(trx, id));
    await publishAll(db, bus);
    await eventually(async () => expect(await effectsOf(db, queues.work)).toHaveLength(501));
    expect(await letters.list({ replayed: false, limit: 10 })).toEqual({ data: [], next_cursor: null });
    const again = db.transaction((trx) => letters.replay(trx, id));
    await expect(again).rejects.toBeInstanceOf(AlreadyReplayedError);
  });

  test('a message whose commit is refused holds up nobody and becomes a dead letter', async () => {
    const { db } = world();
    const bus = await world().bus();
    const committed = await commit(db, 20, ['C-1', 'C-2']);
    const poison = committed[5]?.id;
    await execute(
      db,
      `CREATE FUNCTION refuse_commit() RETURNS trigger LANGUAGE plpgsql
         AS $$ BEGIN RAISE 'refused at the commit' USING ERRCODE = '55P03'; END $$;
       CREATE CONSTRAINT TRIGGER late AFTER INSERT ON effects DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW WHEN (NEW.event_id = '${poison}') EXECUTE FUNCTION refuse_commit()`,
    );
    try {
      await record({ db, bus, queue: queues.work });
      await publishAll(db, bus);
      await eventually(async () => {
        expect(await db('dead_letters')).toMatchObject([
          { event_id: poison, error: 'COMMIT; - refused at the commit' },
        ]);
        expect(await effectsOf(db, queues.work)).toHaveLength(19);
      });
    } finally {
      await execute(db, 'DROP FUNCTION refuse_commit CASCADE');
    }
  });

  test('a replay goes to the one queue that failed, its tries counted anew, and may fail again', async () => {
    const { db } = world();
    const bus = await world().bus();
    const letters = createDeadLetters(db, outbox);
    const attempts: number[] = [];
    await record({ db, bus, queue: queues.audit });
    const [event] = await commit(db, 1);
    await record({
      db,
      bus: noting(bus, event?.id, attempts),
      queue: queues.single,
      before: () => Promise.reject(new Error('still broken')),
    });
    await publishAll(db, bus);
    const waiting = () =>
      eventually(async () => {
        const { data } = await letters.list({ replayed: false, limit: 10 });
        expect(data).toHaveLength(1);
        return data[0]?.id ?? '';
      });
    const first = await waiting();
    await db.transaction((trx) => letters.replay(trx, first));
    await publishAll(db, bus);
    expect(await waiting()).not.toBe(first);
    expect(attempts).toEqual([1, 2, 3, 1, 2, 3]);
    expect(await effectsOf(db, queues.audit)).toHaveLength(1);
  });

  test('what is no event becomes a dead letter at once, with all that came', async () => {
    const { db } = world();
    const bus = await world().bus();
    await record({ db, bus, queue: queues.work });
    const nonsense = { type: 'customer.changed', hello: 'nul \u0000 inside' };
    await bus.publish([{ event: nonsense as never }]);
    const letter = await eventually(async () => {
      const row = await db('dead_letters').first();
      expect(row).toBeDefined();
      return row;
    });
    expect(letter).toMatchObject({ queue: queues.work.name, event_type: 'customer.changed', attempts: 1 });
    expect(JSON.parse(letter.body)).toEqual(nonsense);
  });
}

/** Notes by which count of tries this event is handed over. */
const noting = (bus: Bus, id: string | undefined, attempts: number[]): Bus => ({
  ...bus,
  consume: (spec, deliver) =>
    bus.consume(spec, (messages) => {
      attempts.push(
        ...messages.flatMap(({ event, attempt }) => ((event as { id: string }).id === id ? [attempt] : [])),
      );
      return deliver(messages);
    }),
});
