import type { Channel, ConsumeMessage } from 'amqplib';
import { reasonOf } from '../errors.ts';
import { handOver } from '../hand-over.ts';
import type { Kept } from '../keep-open.ts';
import type { BusLogger } from '../logger.ts';
import { atMost, patienceMs, untilDone, within } from '../pause.ts';
import type { Deliver, IncomingMessage, Outcome, Subscription } from '../port.ts';
import { createAcknowledging } from './acknowledging.ts';
import { keepChannel, openOf, replace } from './channel.ts';
import type { Link } from './link.ts';
import { declareShared, declareWait, type Names } from './names.ts';
import type { Publisher } from './publisher.ts';
import { type Retry, readMessage, toRetry } from './retry.ts';
import { createWorkbench, type Delivery } from './workbench.ts';

export interface SubscriptionOptions {
  link: Link;
  publisher: Publisher;
  names: Names;
  logger: BusLogger;
  /** The queue's name on the broker. */
  queue: string;
  batch: number;
  prefetch: number;
  declare(channel: Channel): Promise<void>;
  deliver: Deliver;
  gaveUp?(message: ConsumeMessage): IncomingMessage['gaveUp'];
  /** Whether it came by the way that is open to who may send it. */
  believed(message: ConsumeMessage): boolean;
}

export interface RunningSubscription extends Subscription {
  opened: Promise<void>;
  problem(): string | undefined;
}

const cameAnotherWay = 'It did not come the way of who may send it: replay it only when you know who did';

export function subscribe(options: SubscriptionOptions): RunningSubscription {
  const { names, logger, queue, deliver } = options;
  const closing = new AbortController();
  const bench = createWorkbench(options.batch, work);
  const acknowledge = createAcknowledging((error) =>
    logger.debug({ queue, reason: reasonOf(error) }, 'not acknowledged: the channel is gone'),
  );
  const tags = new WeakMap<Channel, string>();

  const kept: Kept<Channel> = keepChannel({
    name: queue,
    logger,
    create: () => options.link.createChannel(),
    lost: bench.forget,
    async prepare(channel) {
      await declareShared(options.link, names);
      await options.declare(channel);
      // Per consumer; a global prefetch would cost the whole connection, quorum queues know none.
      await channel.prefetch(options.prefetch);
      const { consumerTag } = await channel.consume(queue, (message) => {
        if (message !== null) bench.push({ channel, message });
        else cancelled(channel);
      });
      tags.set(channel, consumerTag);
    },
  });

  const sendBack = createSendBack(options, kept, closing.signal);

  /** The queue was deleted or its node went: a new channel declares and consumes it anew. */
  function cancelled(channel: Channel): void {
    logger.warn({ queue }, 'the broker cancelled the consumer');
    replace(kept, channel);
  }

  /** What is not believed is kept like what nobody could take: it may be somebody's mistake, and it says what was tried. */
  function gaveUp(message: ConsumeMessage): IncomingMessage['gaveUp'] {
    if (options.believed(message)) return options.gaveUp?.(message);
    const { exchange, routingKey } = message.fields;
    logger.error({ queue, exchange, routingKey }, 'a message did not come the way of who may send it');
    return { queue: names.local(queue), reason: cameAnotherWay, unbelieved: true };
  }

  async function work(deliveries: Delivery[]): Promise<void> {
    const messages = deliveries.map(({ message }) => ({ ...readMessage(message), gaveUp: gaveUp(message) }));
    const outcomes = await handOver(messages, { deliver, queue, closing: closing.signal, logger });
    if (outcomes === undefined) return;
    const again = deliveries.flatMap((delivery, n) => toRetry(delivery, outcomes[n], { names, queue }));
    const sentBack = again.length === 0 || (await sendBack(again));
    acknowledge(deliveries.filter((_, n) => sentBack || isDone(outcomes[n])));
  }

  return {
    opened: kept.opened,
    problem: kept.problem,
    async close() {
      closing.abort();
      const inWork = bench.close();
      const channel = openOf(kept);
      const tag = channel && tags.get(channel);
      if (channel !== undefined && tag !== undefined) await atMost(2_000, channel.cancel(tag)).catch(() => undefined);
      await inWork;
      await kept.close();
    },
  };
}

/**
 * Confirmed before the acknowledgement: a crash between the two makes a twin, never a loss. While the broker does
 * not confirm, the messages stay with us, unless their channel died too: then they come again by themselves.
 */
function createSendBack(
  { publisher, names, logger, queue }: SubscriptionOptions,
  kept: Kept<Channel>,
  closing: AbortSignal,
): (retries: Retry[]) => Promise<boolean> {
  async function sendToWait(retries: Retry[]): Promise<true> {
    const { returned } = await publisher.publish(retries.map(({ parcel }) => parcel));
    if (returned.size === 0) return true;
    for (const ms of new Set(retries.map(({ afterMs }) => afterMs)))
      await within(patienceMs, declareWait(kept.current(), names, ms));
    throw new Error('a wait queue was missing');
  }

  return async (retries) => {
    const alive = () => retries.some(({ channel }) => channel === openOf(kept));
    let sent = false;
    const attempt = async () => {
      sent = alive() && (await sendToWait(retries));
    };
    await untilDone(attempt, closing, (error) =>
      logger.warn({ queue, reason: reasonOf(error) }, 'a retry could not be sent; it waits in hand'),
    );
    return sent;
  };
}

const isDone = (outcome: Outcome | undefined): boolean => outcome !== undefined && 'done' in outcome;
