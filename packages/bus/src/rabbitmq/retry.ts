import type { Channel, ConsumeMessage } from 'amqplib';
import { comebackOf, readContent } from '../hand-over.ts';
import type { IncomingMessage, Outcome } from '../port.ts';
import type { Names } from './names.ts';
import type { Parcel } from './publisher.ts';
import type { Delivery } from './workbench.ts';

/** Ours, not the broker's: RabbitMQ ignores `x-` headers that a client publishes. */
const attemptHeader = 'ops-attempt';
const waitsHeader = 'ops-waits';

export const readMessage = ({ content, properties: { headers } }: ConsumeMessage): IncomingMessage => ({
  event: readContent(content),
  attempt: counted(headers?.[attemptHeader]) ?? 1,
  waits: counted(headers?.[waitsHeader]),
});

function counted(header: unknown): number | undefined {
  const count = Number(header);
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

export interface Retry {
  /** The channel that brought the message and waits for its acknowledgement. */
  channel: Channel;
  afterMs: number;
  parcel: Parcel;
}

/**
 * The same bytes for the wait queue of the delay, none for a message that is done. Of the headers only our counts go
 * along: the broker takes a message whose `x-death` names the same queues again for one going in circles, and drops it.
 */
export function toRetry(
  { channel, message }: Delivery,
  outcome: Outcome | undefined,
  { names, queue }: { names: Names; queue: string },
): Retry[] {
  const comeback = comebackOf(readMessage(message), outcome);
  if (comeback === undefined) return [];
  const { attempt, waits, afterMs } = comeback;
  const options = {
    persistent: true,
    contentType: message.properties.contentType,
    messageId: message.properties.messageId,
    headers: { [attemptHeader]: attempt, ...(waits !== undefined && { [waitsHeader]: waits }) },
  };
  const parcel = { exchange: names.wait(afterMs), routingKey: queue, content: message.content, options };
  return [{ channel, afterMs, parcel }];
}
