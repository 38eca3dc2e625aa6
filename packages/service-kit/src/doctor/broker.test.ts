import { expect, test } from '@jest/globals';
import { testBroker } from '@ops/test-kit/broker';
import { brokerChecks } from './broker.ts';
import { examine } from './examine.ts';

const { url, namespace } = testBroker();
const look = (AMQP_URL: string | undefined) =>
  examine(brokerChecks({ AMQP_URL, BUS_NAMESPACE: namespace }, 5000), 10_000);

test('a broker that does what is needed', async () => {
  expect(await look(url)).toEqual([
    { name: 'broker', status: 'ok', said: expect.stringMatching(/^RabbitMQ \d.* a quorum queue was declared/) },
  ]);
});

test.each([
  ['a wrong password', { password: 'wrong-password' }, /refused/i, /user or password in AMQP_URL/],
  ['a vhost that is not there', { pathname: '/nowhere' }, /vhost/, /rabbitmqctl add_vhost VHOST/],
  ['a port nobody listens on', { port: '1' }, /ECONNREFUSED/, /is RabbitMQ up/],
  ['a host nobody knows', { hostname: 'rabbitmq.invalid' }, /ENOTFOUND|EAI_AGAIN/, /is RabbitMQ up/],
])('%s', async (_, change, said, fix) => {
  const lines = await look(Object.assign(new URL(url), change).href);
  expect(lines).toEqual([
    { name: 'broker', status: 'failed', said: expect.stringMatching(said), fix: expect.stringMatching(fix) },
  ]);
  expect(JSON.stringify(lines)).not.toContain('wrong-password');
});

test('where Postgres carries the events there is none to look at', async () => {
  expect(await look(undefined)).toEqual([]);
});
