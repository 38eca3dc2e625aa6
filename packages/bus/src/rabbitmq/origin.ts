import type { ConsumeMessage } from 'amqplib';
import { readContent } from '../hand-over.ts';
import type { Names } from './names.ts';

/**
 * Accounts alone do not keep an event to its publisher: the broker asks who may publish under a routing key, and does not
 * ask again where a queue dead-letters, an exchange is bound to another, or a CC header adds a key. Each leaves its mark
 * in what the broker itself says of a delivery: the exchange it was first sent to, its first key, and `x-death`.
 */
export const isOfItsPublisher =
  (names: Names, queue: string) =>
  ({ fields, properties, content }: ConsumeMessage): boolean => {
    const { exchange, routingKey } = fields;
    if (exchange === names.events) return properties.headers?.['x-death'] === undefined && tellsOf(content, routingKey);
    // The nameless one is open to no account of a service: what waited in queues of the version before comes by it.
    return (exchange === names.returns || exchange === '') && routingKey === queue;
  };

/** Dead where it says, in a queue of this service. A client could write an `x-death` of its own before 3.13. */
export const diedInQueueOf =
  (names: Names, service: string) =>
  ({ fields, properties }: ConsumeMessage): boolean => {
    const { exchange, routingKey } = fields;
    if (exchange === '') return true;
    const [last] = properties.headers?.['x-death'] ?? [];
    return exchange === names.dead && routingKey.startsWith(names.queue(`${service}:`)) && last?.queue === routingKey;
  };

/** What cannot be read at all is for the consumer to say so of: nobody acts on it. */
function tellsOf(content: Buffer, type: string): boolean {
  const event = readContent(content);
  if (typeof event !== 'object' || event === null || !('type' in event)) return true;
  return event.type === type;
}
