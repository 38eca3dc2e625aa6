import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { queuedMessage } from '../test/desk.ts';
import { startKillable } from '../test/killable.ts';
import { takesAll } from '../test/outside.ts';

let world: Awaited<ReturnType<typeof startKillable>>;

beforeEach(async () => {
  world = await startKillable();
});
afterEach(() => world.close());

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
  await eventually(async () => expect(await told()).toHaveLength(messages.length), { timeoutMs: 100_000 });
  await restarted;
  const last = new Map((await told()).map((one) => [one.communication_id, one.status]));
  const bodies = twilio.journal.map(({ body }) => new URLSearchParams(body).get('Body'));
  expect(new Set(bodies).size).toBe(bodies.length);
  for (const { communication_id, body } of messages) {
    expect(['SENT', 'UNCERTAIN']).toContain(last.get(communication_id));
    if (last.get(communication_id) === 'SENT') expect(bodies).toContain(body);
  }
  expect(await db('sends').where({ status: 'QUEUED' })).toEqual([]);
}, 120_000);
