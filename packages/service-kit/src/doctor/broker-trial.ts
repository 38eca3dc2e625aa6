import { randomBytes } from 'node:crypto';
import { namesIn } from '@ops/bus/rabbitmq/names';
import amqp, { type Channel, type ChannelModel, type ConfirmChannel } from 'amqplib';

export interface BrokerTrial {
  product: string;
  version: string;
}

/** The broker was reached, and does not let us do what every service does. */
export class TrialError extends Error {
  override name = 'TrialError';
}

/** Should the one who tries be killed in between, the broker removes the queue itself. */
const goneAfterMs = 60_000;

/**
 * Does once what services do: a durable quorum queue and an exchange of its own are declared and bound, an event
 * published to it is confirmed and read. Both are removed; no queue or exchange of the system's is touched.
 */
export async function tryBroker(
  url: string,
  namespace: string,
  timeoutMs: number,
  name = namesIn(namespace, 'doctor').queue(`doctor:${randomBytes(6).toString('hex')}`),
): Promise<BrokerTrial> {
  const connection = await connect(url, timeoutMs);
  // Without a listener the error would end the process; whoever waits hears of it, since the call that was under way
  // rejects.
  connection.on('error', () => undefined);
  const blocked = new Promise<never>((_, reject) =>
    connection.on('blocked', (reason: string) => reject(new TrialError(`takes no messages: ${reason}`))),
  );
  blocked.catch(() => undefined);
  try {
    await Promise.race([tryQueue(connection, name), blocked]);
    const { product, version } = connection.connection.serverProperties;
    return { product: String(product), version: String(version) };
  } finally {
    await connection.close().catch(() => undefined);
  }
}

async function connect(url: string, timeoutMs: number): Promise<ChannelModel> {
  try {
    return await amqp.connect(url, { timeout: timeoutMs, clientProperties: { connection_name: 'doctor' } });
  } catch (error) {
    // The driver keeps the broker's reason to itself.
    const refused = (error as Error).message.startsWith('Expected ConnectionOpenOk');
    throw refused ? new TrialError('its vhost is not there, or not open to this user') : error;
  }
}

async function tryQueue(connection: ChannelModel, name: string): Promise<void> {
  const channel = await connection.createConfirmChannel();
  channel.on('error', () => undefined);
  try {
    await declare(channel, name);
    channel.publish(name, name, Buffer.from('{}'), { persistent: true, mandatory: true });
    await channel.waitForConfirms();
    await taken(channel, name);
  } catch (error) {
    throw refusal(error);
  } finally {
    await remove(connection, name);
  }
}

async function declare(channel: ConfirmChannel, name: string): Promise<void> {
  await channel.assertExchange(name, 'topic', { durable: true, autoDelete: true });
  const quorum = { 'x-queue-type': 'quorum', 'x-expires': goneAfterMs };
  await channel.assertQueue(name, { durable: true, arguments: quorum });
  await channel.bindQueue(name, name, name);
}

async function taken(channel: ConfirmChannel, name: string): Promise<void> {
  const message = await channel.get(name, { noAck: true });
  if (!message) throw new TrialError('confirmed a message and does not give it back');
}

/** The exchange goes with its last queue, and by name if it had none. */
async function remove(connection: ChannelModel, name: string): Promise<void> {
  await quietly(connection, (channel) => channel.deleteQueue(name));
  await quietly(connection, (channel) => channel.deleteExchange(name));
}

/** On a channel of its own, since a refusal closes it. */
async function quietly(connection: ChannelModel, work: (channel: Channel) => Promise<unknown>): Promise<void> {
  try {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    await work(channel);
    await channel.close();
  } catch {}
}

/** What the broker says of a refused call, such as ACCESS_REFUSED, without the driver's words around it. */
function refusal(error: unknown): unknown {
  const [, said] = /with message "(.+)"/.exec((error as Error).message) ?? [];
  return said ? new TrialError(said) : error;
}
