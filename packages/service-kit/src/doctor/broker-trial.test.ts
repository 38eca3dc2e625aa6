import { expect, test } from '@jest/globals';
import { testBroker } from '@ops/test-kit/broker';
import amqp from 'amqplib';
import { tryBroker } from './broker-trial.ts';

const { url, namespace } = testBroker();

test('a broker that does what services need says which it is, and nothing is left on it', async () => {
  const name = `${namespace}.trial`;
  expect(await tryBroker(url, namespace, 5000, name)).toEqual({
    product: 'RabbitMQ',
    version: expect.stringMatching(/^\d+\.\d+/),
  });
  expect(await there('checkQueue', name)).toBe(false);
  expect(await there('checkExchange', name)).toBe(false);
});

test('a trial that is refused leaves nothing either', async () => {
  const name = `${namespace}.refused`;
  const connection = await amqp.connect(url);
  const channel = await connection.createChannel();
  // Of another kind than the trial's: declaring it again is refused.
  await channel.assertQueue(name, { durable: false, exclusive: true });
  await expect(tryBroker(url, namespace, 5000, name)).rejects.toThrow(/RESOURCE_LOCKED|PRECONDITION_FAILED/);
  await connection.close();
  expect(await there('checkQueue', name)).toBe(false);
  expect(await there('checkExchange', name)).toBe(false);
});

test.each([
  ['a wrong password', { password: 'wrong' }, /ACCESS_REFUSED|ACCESS-REFUSED|login was refused/i],
  ['a vhost that is not there', { pathname: '/nowhere' }, /vhost|NOT_ALLOWED/i],
  ['a port nobody listens on', { port: '1' }, /ECONNREFUSED/],
])('%s is told', async (_, change, said) => {
  const wrong = Object.assign(new URL(url), change).href;
  await expect(tryBroker(wrong, namespace, 5000)).rejects.toThrow(said);
});

async function there(check: 'checkQueue' | 'checkExchange', name: string): Promise<boolean> {
  const connection = await amqp.connect(url);
  try {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    await channel[check](name);
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
