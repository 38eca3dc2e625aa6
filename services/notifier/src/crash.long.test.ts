import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { queuedMessage, receiptOf, receivedEvent } from '../test/desk.ts';
import { startKillable } from '../test/killable.ts';
import { lockWaits } from '../test/lock-waits.ts';
import { type Behaviour, type Outside, permits, takesAll } from '../test/outside.ts';

let world: Awaited<ReturnType<typeof startKillable>>;

beforeEach(async () => {
  world = await startKillable();
});
afterEach(() => world.close());

/** Kills the process at its first request, which nobody answers, and lets every later one through. */
function killedOnce(server: Outside, then: Behaviour): Promise<void> {
  const killed = Promise.withResolvers<void>();
  server.behave(async () => {
    server.behave(then);
    await world.notifier.kill();
    killed.resolve();
  });
  return killed.promise;
}

test('killed between the provider’s yes and its own commit: uncertain, and never sent again', async () => {
  const { twilio, notifier, db, bus, publish, told, statuses } = world;
  const lock = await db.transaction();
  const killed = Promise.withResolvers<void>();
  const take = takesAll();
  twilio.behave(async (taken, res) => {
    // Whoever wants to record the outcome waits for this; the answer itself gets through.
    await lock.raw('SELECT FROM sends FOR UPDATE');
    res.on('close', async () => {
      await eventually(async () => expect(await lockWaits(db)).toBe(1));
      await notifier.kill();
      killed.resolve();
    });
    await take(taken, res);
  });
  const message = queuedMessage();
  await publish(message);
  await killed.promise;
  await lock.rollback();
  await notifier.start();
  await eventually(async () => expect(await told()).toMatchObject([{ status: 'UNCERTAIN' }]));
  expect((await told())[0]?.failure?.code).toBe('interrupted');
  const attempt_id = (await told())[0]?.attempt_id ?? null;
  await bus.publish([{ event: receivedEvent(receiptOf({ attempt_id, external_id: 'SM1', status: 'DELIVERED' })) }]);
  await eventually(async () => expect(await statuses()).toEqual(['UNCERTAIN', 'DELIVERED']));
  expect(twilio.journal).toHaveLength(1);
});

test('killed while the provider works on it: uncertain, and never sent again', async () => {
  const { twilio, notifier, publish, told, statuses } = world;
  const killed = killedOnce(twilio, takesAll());
  const [first, second] = [queuedMessage(), queuedMessage()];
  await publish(first, second);
  await killed;
  await notifier.start();
  await eventually(async () => expect((await statuses()).toSorted()).toEqual(['SENT', 'UNCERTAIN']));
  expect(await told()).toMatchObject([{ communication_id: first.communication_id, status: 'UNCERTAIN' }, {}]);
  expect(twilio.journal).toHaveLength(2);
});

test('killed before anything left: sent once, by the next process', async () => {
  const { comms, twilio, notifier, publish, statuses } = world;
  const killed = killedOnce(comms, permits);
  await publish(queuedMessage());
  await killed;
  await notifier.start();
  await eventually(async () => expect(await statuses()).toEqual(['SENT']));
  expect(twilio.journal).toHaveLength(1);
});

test('killed again and again: every message is sent or uncertain, and nobody gets one twice', async () => {
  const { twilio, notifier, db, publish, told } = world;
  const messages = Array.from({ length: 60 }, (_, n) => queuedMessage({ customer_id: `C-${n % 15}` }));
  const take = takesAll();
  const killAt = new Set([8, 25, 42]);
  let restarted: Promise<unknown> = Promise.resolve();
  twilio.behave(async (taken, res) => {
    if (killAt.delete(twilio.journal.length))
      restarted = restarted.then(() => notifier.kill()).then(() => notifier.start());
    await take(taken, res);
  });
  await publish(...messages);
  await eventually(async () => expect(await told()).toHaveLength(messages.length));
  await restarted;
  const last = new Map((await told()).map((one) => [one.communication_id, one.status]));
  const bodies = twilio.journal.map(({ body }) => new URLSearchParams(body).get('Body'));
  expect(new Set(bodies).size).toBe(bodies.length);
  for (const { communication_id, body } of messages) {
    expect(['SENT', 'UNCERTAIN']).toContain(last.get(communication_id));
    if (last.get(communication_id) === 'SENT') expect(bodies).toContain(body);
  }
  expect(await db('sends').where({ status: 'QUEUED' })).toEqual([]);
});
