import type { Channel, ConsumeMessage } from 'amqplib';
import { readContent } from '../hand-over.ts';
import type { Kept } from '../keep-open.ts';
import type { BusLogger } from '../logger.ts';
import type { TapListener } from '../port.ts';
import { createEar } from '../tap-ear.ts';
import { keepChannel, replace } from './channel.ts';
import type { Link } from './link.ts';
import { declareShared, type Names } from './names.ts';

export interface TapOptions {
  link: Link;
  names: Names;
  logger: BusLogger;
  types: readonly string[];
  listener: TapListener;
}

/** An exclusive queue of its own, gone with the connection; the broker does not wait for acknowledgements. */
export function openTap({ link, names, logger, types, listener }: TapOptions): Kept<Channel> {
  const ear = createEar(listener, types, logger);
  const kept: Kept<Channel> = keepChannel({
    name: 'tap',
    logger,
    create: () => link.createChannel(),
    async prepare(channel, again) {
      await declareShared(link, names);
      const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false });
      for (const key of types.flatMap((type) => [type, names.live(type)]))
        await channel.bindQueue(queue, names.events, key);
      if (again) ear.reset();
      const take = (message: ConsumeMessage | null) => {
        if (message !== null) ear.hear(readContent(message.content));
        else replace(kept, channel);
      };
      await channel.consume(queue, take, { noAck: true });
    },
  });
  return kept;
}
