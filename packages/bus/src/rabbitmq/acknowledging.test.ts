import { expect, test } from '@jest/globals';
import type { Channel, ConsumeMessage } from 'amqplib';
import fc from 'fast-check';
import { createAcknowledging } from './acknowledging.ts';

/** A broker's own book of a channel: what was delivered and is not acknowledged, and how many frames it took. */
function openChannel(deliveries: number) {
  const unacknowledged = new Set(Array.from({ length: deliveries }, (_, n) => n + 1));
  let frames = 0;
  let isOpen = true;
  const ack = ({ fields: { deliveryTag } }: ConsumeMessage, allUpTo = false) => {
    if (!isOpen) throw new Error('the channel is closed');
    if (!unacknowledged.has(deliveryTag)) throw new Error(`${deliveryTag} was acknowledged before`);
    frames += 1;
    for (const tag of unacknowledged)
      if (tag === deliveryTag || (allUpTo && tag < deliveryTag)) unacknowledged.delete(tag);
  };
  const channel = { ack } as Channel;
  return {
    delivery: (deliveryTag: number) => ({ channel, message: { fields: { deliveryTag } } as ConsumeMessage }),
    unacknowledged,
    frames: () => frames,
    close: () => {
      isOpen = false;
    },
  };
}

const neverGone = (error: unknown) => {
  throw error;
};

test('what follows on what was settled before is one frame', () => {
  const { delivery, unacknowledged, frames } = openChannel(7);
  const acknowledge = createAcknowledging(neverGone);
  acknowledge([1, 2, 3].map(delivery));
  acknowledge([4, 5, 6].map(delivery));
  expect([[...unacknowledged], frames()]).toEqual([[7], 2]);
});

test('in whatever batches and order they are settled, exactly those are acknowledged, none before', () => {
  const batches = fc.shuffledSubarray(Array.from({ length: 20 }, (_, n) => n + 1)).chain((tags) =>
    fc.array(fc.nat(20), { maxLength: 6 }).map((cuts) => {
      const at = [0, ...cuts.toSorted((one, other) => one - other), tags.length];
      return at.slice(1).map((end, n) => tags.slice(at[n], end).toSorted((one, other) => one - other));
    }),
  );
  fc.assert(
    fc.property(batches, (all) => {
      const { delivery, unacknowledged } = openChannel(20);
      const acknowledge = createAcknowledging(neverGone);
      const left = new Set(unacknowledged);
      for (const tags of all) {
        acknowledge(tags.map(delivery));
        for (const tag of tags) left.delete(tag);
        expect(unacknowledged).toEqual(left);
      }
    }),
  );
});

test('each channel counts by itself, and one that is gone costs the other nothing', () => {
  const [one, other] = [openChannel(3), openChannel(3)];
  const gone: unknown[] = [];
  const acknowledge = createAcknowledging((error) => gone.push(error));
  acknowledge([one.delivery(1), other.delivery(1)]);
  one.close();
  acknowledge([one.delivery(2), other.delivery(2), other.delivery(3)]);
  expect([[...one.unacknowledged], [...other.unacknowledged], gone.length]).toEqual([[2, 3], [], 1]);
});
