import { expect, test } from '@jest/globals';
import { testBroker } from '@ops/test-kit/broker';
import type { Channel } from 'amqplib';
import { silent } from '../conformance/world.ts';
import { keepChannel } from './channel.ts';
import { openLink } from './link.ts';

test('a channel whose preparing is never answered is closed, and another prepared', async () => {
  const link = await openLink(testBroker().url, 'unanswered', silent);
  const first = Promise.withResolvers<Channel>();
  let tries = 0;
  const kept = keepChannel({
    name: 'channel',
    logger: silent,
    create: () => link.createChannel(),
    prepareWithinMs: 20,
    async prepare(channel) {
      tries += 1;
      if (tries > 1) return;
      first.resolve(channel);
      await new Promise(() => undefined);
    },
  });
  const closed = first.promise.then(
    (channel) => new Promise<void>((resolve) => channel.once('close', () => resolve())),
  );
  await kept.opened;
  await closed;
  expect(kept.current()).not.toBe(await first.promise);
  await kept.close();
  await link.close();
});
