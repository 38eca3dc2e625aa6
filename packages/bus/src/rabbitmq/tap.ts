import { type Envelope, envelope } from '@ops/contracts/envelope';
import { readContent } from '../hand-over.ts';
import type { BusLogger } from '../logger.ts';
import type { Subscription, TapListener } from '../port.ts';
import { keepChannel } from './channel.ts';
import type { Link } from './link.ts';
import { declareEvents, type Names } from './names.ts';

export interface TapOptions {
  link: Link;
  names: Names;
  logger: BusLogger;
  types: readonly string[];
  listener: TapListener;
}

/** An exclusive queue of its own, gone with the connection; the broker does not wait for acknowledgements. */
export async function openTap({ link, names, logger, types, listener }: TapOptions): Promise<Subscription> {
  const kept = keepChannel({
    name: 'tap',
    logger,
    create: () => link.createChannel(),
    async prepare(channel, again) {
      await declareEvents(channel, names);
      const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false });
      for (const type of types) await channel.bindQueue(queue, names.events, type);
      if (again) listener.reset();
      await channel.consume(
        queue,
        (message) => {
          const parsed = envelope.safeParse(message === null ? undefined : readContent(message.content));
          if (parsed.success) listener.event(parsed.data as Envelope);
          else if (message === null) void channel.close().catch(() => undefined);
        },
        { noAck: true },
      );
    },
  });
  await kept.opened;
  return { close: () => kept.close() };
}
