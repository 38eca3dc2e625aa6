import type { Channel } from 'amqplib';
import { reasonOf } from '../errors.ts';
import { type Kept, keepOpen } from '../keep-open.ts';
import type { BusLogger } from '../logger.ts';
import { atMost, patienceMs, within } from '../pause.ts';

export interface KeepChannelOptions<C extends Channel> {
  name: string;
  logger: BusLogger;
  create(): Promise<C>;
  /** Declares and starts what the channel is for; `again` is true when an earlier channel was lost. */
  prepare(channel: C, again: boolean): Promise<void>;
  /** The channel is gone, and with it every delivery it brought. */
  lost?(channel: C): void;
  prepareWithinMs?: number;
}

/** A channel that is opened and prepared anew whenever it dies, alone or with its connection. */
export function keepChannel<C extends Channel>(options: KeepChannelOptions<C>): Kept<C> {
  const { name, logger, prepareWithinMs = patienceMs } = options;
  return keepOpen<C>({
    name,
    logger,
    async open(again) {
      const channel = await options.create();
      const lost = new Promise<void>((resolve) => channel.once('close', () => resolve()));
      channel.on('error', (error) => logger.warn({ name, reason: reasonOf(error) }, 'the broker closed a channel'));
      channel.on('handler-error', (error) =>
        logger.error({ name, reason: reasonOf(error) }, 'a channel listener threw'),
      );
      try {
        await within(prepareWithinMs, options.prepare(channel, again));
      } catch (error) {
        await closeChannel(channel);
        throw error;
      }
      return { value: channel, lost: lost.then(() => options.lost?.(channel)) };
    },
    dispose: closeChannel,
  });
}

/** Waits only briefly: a channel closes with its connection at the latest. */
export const closeChannel = (channel: Channel): Promise<unknown> =>
  atMost(2_000, channel.close()).catch(() => undefined);

export const openOf = (kept: Kept<Channel>): Channel | undefined =>
  kept.problem() === undefined ? kept.current() : undefined;

/** Another in the place of one that brings nothing any more, whether or not the broker says that it closed. */
export function replace(kept: Kept<Channel>, channel: Channel): void {
  if (channel === openOf(kept)) kept.renew();
  else void closeChannel(channel);
}
