import type { Channel } from 'amqplib';
import type { QueueSpec } from '../port.ts';
import { deadLetterQueueOf } from '../topology.ts';

/** Names on the broker; a namespace in front keeps systems that share one apart. */
export interface Names {
  events: string;
  dead: string;
  queue(name: string): string;
  /** Exchange and queue where messages wait this long. */
  wait(ms: number): string;
  /** The name without the namespace. */
  local(queue: string): string;
}

export function namesIn(namespace: string): Names {
  const prefix = namespace === '' ? '' : `${namespace}.`;
  return {
    events: `${prefix}ops.events`,
    dead: `${prefix}ops.dead`,
    queue: (name) => prefix + name,
    wait: (ms) => `${prefix}ops.wait.${ms}`,
    local: (queue) => queue.slice(prefix.length),
  };
}

/**
 * Every queue is a quorum queue. What one of them dead-letters it keeps until its target has confirmed it
 * (`at-least-once`, which wants `reject-publish`); the default strategy may lose it on the way.
 */
const safeQuorum = {
  'x-queue-type': 'quorum',
  'x-overflow': 'reject-publish',
  'x-dead-letter-strategy': 'at-least-once',
};

/** "Without a limit" in words every version takes: since 4.0 the default is 20, and -1 is unknown before. */
const noDeliveryLimit = 1_000_000;

export const declareEvents = (channel: Channel, names: Names) =>
  channel.assertExchange(names.events, 'topic', { durable: true });

/** The limit is stated: 3.x has none, and 4.x deletes a message after 20 returns unless told where to put it. */
export async function declareQueue(
  channel: Channel,
  names: Names,
  spec: QueueSpec,
  deliveryLimit: number,
): Promise<void> {
  const name = names.queue(spec.name);
  await declareEvents(channel, names);
  await channel.assertExchange(names.dead, 'direct', { durable: true });
  await channel.assertQueue(name, {
    durable: true,
    arguments: {
      ...safeQuorum,
      'x-delivery-limit': deliveryLimit,
      'x-dead-letter-exchange': names.dead,
      'x-dead-letter-routing-key': name,
    },
  });
  for (const type of spec.bindings) await channel.bindQueue(name, names.events, type);
  for (const ms of new Set(spec.retry.delaysMs)) await declareWait(channel, names, ms);
}

/**
 * One queue per delay, since a message expires only at the head of its queue. The fanout exchange before it keeps the
 * routing key, so that what has waited is handed by the default exchange to the queue that key names.
 */
export async function declareWait(channel: Channel, names: Names, ms: number): Promise<void> {
  const name = names.wait(ms);
  await channel.assertExchange(name, 'fanout', { durable: true });
  await channel.assertQueue(name, {
    durable: true,
    arguments: { ...safeQuorum, 'x-message-ttl': ms, 'x-dead-letter-exchange': '' },
  });
  await channel.bindQueue(name, name, '');
}

/** What was given up on, for each queue of the service; its routing key tells which. */
export async function declareDeadLetterQueue(channel: Channel, names: Names, service: string): Promise<string> {
  const name = names.queue(deadLetterQueueOf(service));
  await channel.assertExchange(names.dead, 'direct', { durable: true });
  await channel.assertQueue(name, {
    durable: true,
    arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': noDeliveryLimit },
  });
  return name;
}
