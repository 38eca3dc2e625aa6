import amqp, { type Channel, type ConfirmChannel } from 'amqplib';
import { isCertificateError } from '../certificate-error.ts';
import { reasonOf } from '../errors.ts';
import type { BusLogger } from '../logger.ts';
import { atMost, patienceMs, within } from '../pause.ts';

/** One connection that comes back by itself. Channels opened on it die with it: `keepOpen` opens them anew. */
export interface Link {
  createChannel(): Promise<Channel>;
  createConfirmChannel(): Promise<ConfirmChannel>;
  /** Why nothing can be sent now: not connected, or blocked by the broker's memory or disk alarm. */
  problem(): string | undefined;
  close(): Promise<void>;
}

/**
 * Waits for the first try only: a broker that is away at the start is tried again like one that goes later. One whose
 * certificate is not believed is not.
 */
export async function openLink(url: string, name: string, logger: BusLogger): Promise<Link> {
  const connection = await amqp.connect(withHeartbeat(url), {
    timeout: 10_000,
    keepAlive: true,
    noDelay: true,
    clientProperties: { connection_name: name },
    recovery: { waitForConnect: false, initialDelay: 100, maxDelay: 5_000 },
  });
  let problem: string | undefined = 'not connected yet';
  const lost = (error: Error) => {
    if (isCertificateError(error)) tried.reject(error);
    tried.resolve();
    problem = reasonOf(error);
    logger.warn({ name, reason: problem }, 'no connection to the broker; trying again');
  };
  const tried = Promise.withResolvers<void>();
  connection.on('connect', () => {
    tried.resolve();
    problem = undefined;
    logger.info({ name }, 'connected to the broker');
  });
  connection.on('connect-failed', lost);
  connection.on('disconnect', lost);
  connection.on('blocked', (reason: string) => {
    problem = `blocked by the broker: ${reason}`;
    logger.error({ name, reason }, 'the broker takes no messages');
  });
  connection.on('unblocked', () => {
    problem = undefined;
    logger.info({ name }, 'the broker takes messages again');
  });
  // Tells again what `disconnect` tells; without a listener it would end the process.
  connection.on('error', (error: Error) => logger.debug({ name, reason: reasonOf(error) }, 'connection error'));
  await tried.promise.catch(async (error) => {
    await atMost(2_000, connection.close());
    throw error;
  });
  return {
    createChannel: () => inTime(connection.createChannel()),
    createConfirmChannel: () => inTime(connection.createConfirmChannel()),
    problem: () => (problem === undefined ? undefined : `${name}: ${problem}`),
    close: () => atMost(2_000, connection.close()),
  };
}

const inTime = <C extends Channel>(opening: Promise<C>) => within(patienceMs, opening, (late) => late.close());

/** A half-open connection is noticed after three missed beats: 15 s instead of the broker's default of minutes. */
function withHeartbeat(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', '5');
  return parsed.href;
}
