import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RabbitNode, startRabbitNode } from '@ops/test-kit/rabbitmq-node';
import amqp from 'amqplib';
import { commandsOf } from './command.ts';
import { readDocument, root } from './document.ts';

/** The accounts that the document gives to other systems, made on a broker of the test's own by the document's own commands. */
const document = readDocument('docs/integrating.md');
const inCompose = 'docker compose exec rabbitmq rabbitmqctl';
const commands = commandsOf(document).filter(({ text }) => text.startsWith(inCompose));
const exchange = 'ops.events';

let broker: RabbitNode;
let elsewhere: string;
const run = promisify(execFile);
const inNode = (program: string, args: readonly string[], user: string) =>
  run(process.execPath, [program, ...args], {
    cwd: elsewhere,
    env: { ...process.env, NODE_OPTIONS: '', AMQP_URL: as(user) },
  });
const as = (user: string) => broker.url.replace('guest:guest', `${user}:agreed`);

beforeAll(async () => {
  broker = await startRabbitNode();
  elsewhere = await mkdtemp(join(tmpdir(), 'ops-accounts-'));
  await symlink(join(root, 'node_modules'), join(elsewhere, 'node_modules'));
  const publish = document.fences.find(({ text }) => text.startsWith('// publish.mjs'));
  await writeFile(join(elsewhere, 'publish.mjs'), String(publish?.text));
  const { command, env } = broker.rabbitmqctl;
  for (const { text } of commands)
    await run('sh', ['-c', text.replace(inCompose, command)], { env: { ...process.env, ...env, PASSWORD: 'agreed' } });
  // As the system declares it, with a queue for what comes from outside.
  await within('guest:guest', async (channel) => {
    await channel.assertExchange(exchange, 'topic', { durable: true });
    await channel.assertQueue('upstream');
    await channel.bindQueue('upstream', exchange, 'policy.issued');
  });
});
afterAll(async () => {
  await broker?.stop();
  await rm(elsewhere, { recursive: true, force: true });
});

/** On a channel of this account; rejects with what the broker has to say against it. */
async function within<T>(account: string, work: (channel: amqp.ConfirmChannel) => Promise<T>): Promise<T> {
  const connection = await amqp.connect(broker.url.replace('guest:guest', account));
  const channel = await connection.createConfirmChannel();
  const refused = new Promise<never>((_, reject) => channel.once('error', reject));
  refused.catch(() => undefined);
  return Promise.race([work(channel), refused]).finally(() => connection.close());
}

const published = (account: string, type: string) =>
  within(account, async (channel) => {
    channel.publish(exchange, type, Buffer.from('{}'));
    await channel.waitForConfirms();
  });

test('the document makes two accounts', () => {
  expect(commands).toHaveLength(6);
});

test('who tells of policies may publish what the document says, and nothing else', async () => {
  const { stdout } = await inNode('publish.mjs', ['P-77', '2030-06-30', 'event-1'], 'policies');
  expect(stdout).toBe('event-1 is taken\n');
  await expect(published('policies:agreed', 'RENEWAL_TRIGGERED')).rejects.toThrow('ACCESS_REFUSED');
  await expect(within('policies:agreed', (channel) => channel.get('upstream'))).rejects.toThrow('ACCESS_REFUSED');
  await expect(within('policies:agreed', (channel) => channel.assertQueue('own'))).rejects.toThrow('ACCESS_REFUSED');
});

test('who listens has a queue of its own for what the document says, and nothing else', async () => {
  const queue = 'accounting.renewals';
  await within('accounting:agreed', async (channel) => {
    await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    for (const type of ['RENEWAL_TRIGGERED', 'RENEWAL_COMPLETED']) await channel.bindQueue(queue, exchange, type);
  });
  await published('guest:guest', 'RENEWAL_TRIGGERED');
  expect(await within('accounting:agreed', (channel) => channel.get(queue))).not.toBe(false);
  const refused = (work: (channel: amqp.ConfirmChannel) => Promise<unknown>) =>
    expect(within('accounting:agreed', work)).rejects.toThrow('ACCESS_REFUSED');
  await refused((channel) => channel.bindQueue(queue, exchange, 'communication.queued'));
  await refused((channel) => channel.get('upstream'));
  await refused((channel) => channel.assertQueue('upstream'));
  await expect(published('accounting:agreed', 'policy.issued')).rejects.toThrow('ACCESS_REFUSED');
});
