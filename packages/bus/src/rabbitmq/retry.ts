import type { Channel, ConsumeMessage } from 'amqplib';
import { readContent } from '../hand-over.ts';
import type { IncomingMessage, Outcome } from '../port.ts';
import type { Names } from './names.ts';
import type { Parcel } from './publisher.ts';
import type { Delivery } from './workbench.ts';

/** Ours, not the broker's: RabbitMQ ignores `x-` headers that a client publishes. */
const attemptHeader = 'ops-attempt';

export function readMessage({ content, properties }: ConsumeMessage): IncomingMessage {
  const counted = Number(properties.headers?.[attemptHeader]);
  return { event: readContent(content), attempt: Number.isSafeInteger(counted) && counted > 0 ? counted : 1 };
}

export interface Retry {
  /** Brought the message, and is waiting for its acknowledgement. */
  channel: Channel;
  afterMs: number;
  parcel: Parcel;
}

/**
 * The same bytes for the wait queue of the delay, none for a message that is done. Of the headers only our count goes
 * along: the broker takes a message whose `x-death` names the same queues again for one going in circles, and drops it.
 */
export function toRetry(
  { channel, message }: Delivery,
  outcome: Outcome | undefined,
  { names, queue }: { names: Names; queue: string },
): Retry[] {
  if (outcome === undefined || 'done' in outcome) return [];
  const afterMs = outcome.retryAfterMs;
  const options = {
    persistent: true,
    contentType: message.properties.contentType,
    messageId: message.properties.messageId,
    headers: { [attemptHeader]: readMessage(message).attempt + 1 },
  };
  const parcel = { exchange: names.wait(afterMs), routingKey: queue, content: message.content, options };
  return [{ channel, afterMs, parcel }];
}
