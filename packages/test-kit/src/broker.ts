import { randomBytes } from 'node:crypto';

export interface TestBroker {
  url: string;
  /** Unique: exchanges and queues of this test file begin with it. */
  namespace: string;
}

/** The run's RabbitMQ, with a namespace of the test file's own. */
export function testBroker(): TestBroker {
  const url = process.env.TEST_AMQP_URL;
  if (!url) throw new Error('TEST_AMQP_URL is not set: is global-setup in the jest configuration?');
  return { url, namespace: `test-${randomBytes(6).toString('hex')}` };
}
