import type { Channel, ConsumeMessage } from 'amqplib';
import type { Delivery } from './workbench.ts';

/** How far a channel's deliveries, which are numbered from one, are settled without a gap, and which beyond that. */
interface Settled {
  upTo: number;
  beyond: Set<number>;
}

/**
 * Acknowledges what is settled: all that follows on what was settled before in one frame, which is one write for us and one command
 * for the broker's queue, however many there are. What comes behind something unsettled goes by itself.
 */
export function createAcknowledging(gone: (error: unknown) => void): (deliveries: readonly Delivery[]) => void {
  const channels = new WeakMap<Channel, Settled>();

  function acknowledge(channel: Channel, messages: readonly ConsumeMessage[]): void {
    const settled = channels.get(channel) ?? { upTo: 0, beyond: new Set() };
    channels.set(channel, settled);
    let last: ConsumeMessage | undefined;
    for (const message of messages) {
      const { deliveryTag } = message.fields;
      if (deliveryTag === settled.upTo + 1) {
        last = message;
        settled.upTo = deliveryTag;
        while (settled.beyond.delete(settled.upTo + 1)) settled.upTo += 1;
      } else {
        settled.beyond.add(deliveryTag);
        channel.ack(message);
      }
    }
    if (last) channel.ack(last, true);
  }

  return (deliveries) => {
    // A channel that died meanwhile throws; the messages come again, and the inbox knows them.
    for (const [channel, those] of Map.groupBy(deliveries, (one) => one.channel))
      try {
        acknowledge(
          channel,
          those.map(({ message }) => message),
        );
      } catch (error) {
        gone(error);
      }
  };
}
