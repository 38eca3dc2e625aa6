import { randomBytes } from 'node:crypto';
import amqp from 'amqplib';

export interface TestBroker {
  url: string;
  /** Unique: exchange and queues of this test file begin with it. */
  namespace: string;
  /** Removes the exchange, and the queues named without their namespace; on a shared broker nothing else would. */
  remove(exchange: string, queues: readonly string[]): Promise<void>;
}

/** The run's RabbitMQ with a namespace of the test file's own. */
export function testBroker(): TestBroker {
  const url = process.env.TEST_AMQP_URL;
  if (!url) throw new Error('TEST_AMQP_URL is not set: is global-setup in the jest configuration?');
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  return { url, namespace, remove: (exchange, queues) => remove(url, namespace, exchange, queues) };
}

async function remove(url: string, namespace: string, exchange: string, queues: readonly string[]): Promise<void> {
  const connection = await amqp.connect(url);
  const channel = await connection.createChannel();
  for (const queue of queues) await channel.deleteQueue(`${namespace}.${queue}`);
  await channel.deleteExchange(`${namespace}.${exchange}`);
  await connection.close();
}
