import { expect, test } from '@jest/globals';
import type { Channel, ConsumeMessage } from 'amqplib';
import fc from 'fast-check';
import { createWorkbench, type Delivery } from './workbench.ts';

const channel = {} as Channel;
const delivery = (name: string, returned = 0, on = channel): Delivery => ({
  channel: on,
  message: {
    content: Buffer.from(name),
    properties: { headers: { 'x-delivery-count': returned } },
  } as unknown as ConsumeMessage,
});
const nameOf = ({ message }: Delivery) => message.content.toString();

/** Works everything off and tells the batches. */
async function workOff(deliveries: Delivery[], batch = 10): Promise<string[][]> {
  const batches: string[][] = [];
  const all = Promise.withResolvers<void>();
  const bench = createWorkbench(batch, async (taken) => {
    batches.push(taken.map(nameOf));
    if (batches.flat().length === deliveries.length) all.resolve();
  });
  for (const each of deliveries) bench.push(each);
  if (deliveries.length > 0) await all.promise;
  await bench.close();
  return batches;
}

test('fresh messages go together in their order, up to the batch', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 20 }), async (count, batch) => {
      const names = Array.from({ length: count }, (_, n) => String(n));
      const batches = await workOff(
        names.map((name) => delivery(name)),
        batch,
      );
      expect(batches.flat()).toEqual(names);
      expect(batches.every((taken) => taken.length <= batch)).toBe(true);
    }),
    { seed: 7, numRuns: 50 },
  ));

test('every message is taken once, and one that came back often is alone', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.nat(4), { maxLength: 40 }), async (returns) => {
      const batches = await workOff(returns.map((returned, n) => delivery(String(n), returned)));
      expect(
        batches
          .flat()
          .map(Number)
          .sort((a, b) => a - b),
      ).toEqual(returns.map((_, n) => n));
      const suspects = returns.flatMap((returned, n) => (returned >= 2 ? [String(n)] : []));
      for (const taken of batches) if (taken.some((name) => suspects.includes(name))) expect(taken).toHaveLength(1);
    }),
    { seed: 7, numRuns: 50 },
  ));

test('whatever lies beside a message that kills is through within two rounds', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 50 }), fc.nat(), async (count, place) => {
      const poison = String(place % count);
      let left = Array.from({ length: count }, (_, n) => String(n));
      for (const returned of [2, 3]) {
        const order = (await workOff(left.map((name) => delivery(name, returned)))).flat();
        const survived = order.slice(0, order.indexOf(poison));
        left = left.filter((name) => !survived.includes(name));
      }
      expect(left).toEqual([poison]);
    }),
    { seed: 7, numRuns: 50 },
  ));

test('what a dead channel brought is forgotten; after the close nothing is taken', async () => {
  const taken: string[] = [];
  const gate = Promise.withResolvers<void>();
  const inWork = Promise.withResolvers<void>();
  const bench = createWorkbench(1, async (batch) => {
    taken.push(...batch.map(nameOf));
    inWork.resolve();
    await gate.promise;
  });
  const dead = {} as Channel;
  bench.push(delivery('in work'));
  bench.push(delivery('of the dead channel', 0, dead));
  bench.push(delivery('waiting'));
  await inWork.promise;
  bench.forget(dead);
  const closed = bench.close();
  bench.push(delivery('too late'));
  gate.resolve();
  await closed;
  expect(taken).toEqual(['in work']);
});
