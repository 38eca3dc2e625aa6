import type { Channel } from 'amqplib';
import { BrokerAwayError, reasonOf } from '../errors.ts';
import { patienceMs, within } from '../pause.ts';
import type { QueueSpec } from '../port.ts';
import { deadLetterQueueOf } from '../topology.ts';
import { closeChannel } from './channel.ts';
import type { Link } from './link.ts';

/**
 * Names on the broker; a namespace in front keeps systems that share one apart. What is one service's alone begins with
 * its name, so that its account can be kept to that.
 */
export interface Names {
  events: string;
  dead: string;
  queue(name: string): string;
  /** Routing key of what taps alone hear of. */
  live(type: string): string;
  /** Exchange by which a message comes to one queue of the service, which is its routing key. */
  returns: string;
  /** Exchange and queue where messages of the service wait this long. */
  wait(ms: number): string;
  /** The name without the namespace. */
  local(queue: string): string;
}

export function namesIn(namespace: string, service: string): Names {
  const prefix = namespace === '' ? '' : `${namespace}.`;
  return {
    events: `${prefix}ops.events`,
    dead: `${prefix}ops.dead`,
    queue: (name) => prefix + name,
    live: (type) => `${type}.live`,
    returns: `${prefix}${service}:ops.returns`,
    wait: (ms) => `${prefix}${service}:ops.wait.${ms}`,
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

/**
 * What all services share is made by whoever sets up their accounts, and is no service's to make. Only where it is not
 * there at all, on a broker without such accounts, it is declared here.
 */
export async function declareShared(link: Link, names: Names): Promise<void> {
  for (const exchange of [names.events, names.dead])
    if (!(await isThere(link, (channel) => channel.checkExchange(exchange)))) await makeTopic(link, exchange);
}

const makeTopic = (link: Link, exchange: string): Promise<void> =>
  onOwnChannel(link, (channel) => channel.assertExchange(exchange, 'topic', { durable: true }));

const notFound = 404;

export async function isThere(link: Link, ask: (channel: Channel) => Promise<unknown>): Promise<boolean> {
  try {
    await onOwnChannel(link, ask);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === notFound) return false;
    throw new BrokerAwayError(reasonOf(error));
  }
}

/**
 * What is not there closes the channel that asked, so each question has its own. Nobody waits for its end: where the connection goes
 * first, nothing ever tells of that.
 */
async function onOwnChannel(link: Link, ask: (channel: Channel) => Promise<unknown>): Promise<void> {
  const channel = await link.createChannel();
  channel.on('error', () => undefined);
  try {
    await within(patienceMs, ask(channel));
  } finally {
    void closeChannel(channel);
  }
}

export const declareReturns = (channel: Channel, names: Names) =>
  channel.assertExchange(names.returns, 'direct', { durable: true });

/** The limit is stated: 3.x has none, and 4.x deletes a message after 20 returns unless told where to put it. */
export async function declareQueue(
  channel: Channel,
  names: Names,
  spec: QueueSpec,
  deliveryLimit: number,
): Promise<void> {
  const name = names.queue(spec.name);
  await declareReturns(channel, names);
  await channel.assertQueue(name, {
    durable: true,
    arguments: {
      ...safeQuorum,
      'x-delivery-limit': deliveryLimit,
      'x-dead-letter-exchange': names.dead,
      'x-dead-letter-routing-key': name,
    },
  });
  await channel.bindQueue(name, names.returns, name);
  for (const type of spec.bindings) await channel.bindQueue(name, names.events, type);
  for (const ms of new Set(spec.retry.delaysMs)) await declareWait(channel, names, ms);
}

/**
 * One queue per delay, since a message expires only at the head of its queue. The fanout exchange before it keeps the
 * routing key, so that what has waited returns to the queue that key names.
 */
export async function declareWait(channel: Channel, names: Names, ms: number): Promise<void> {
  const name = names.wait(ms);
  await channel.assertExchange(name, 'fanout', { durable: true });
  await channel.assertQueue(name, {
    durable: true,
    arguments: { ...safeQuorum, 'x-message-ttl': ms, 'x-dead-letter-exchange': names.returns },
  });
  await channel.bindQueue(name, name, '');
}

/** What was given up on, for each queue of the service; its routing key tells which. */
export async function declareDeadLetterQueue(channel: Channel, names: Names, service: string): Promise<string> {
  const name = names.queue(deadLetterQueueOf(service));
  await channel.assertQueue(name, {
    durable: true,
    arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': noDeliveryLimit },
  });
  return name;
}
