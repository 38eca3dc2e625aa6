import type { ConfirmChannel, Options } from 'amqplib';
import { BrokerAwayError } from '../errors.ts';
import type { Kept } from '../keep-open.ts';
import type { BusLogger } from '../logger.ts';
import { keepChannel } from './channel.ts';
import type { Link } from './link.ts';
import { declareReturns, declareShared, type Names } from './names.ts';

export interface Parcel {
  exchange: string;
  routingKey: string;
  content: Buffer;
  options: Options.Publish;
}

export interface Publisher {
  /** Resolves when the broker confirmed all of them; tells which parcels no queue was bound for. */
  publish(parcels: readonly Parcel[]): Promise<{ returned: ReadonlySet<Parcel> }>;
  check(): Promise<void>;
  close(): Promise<void>;
  /** The first try to open its channel has ended. */
  tried: Promise<void>;
}

export interface PublisherOptions {
  link: Link;
  names: Names;
  logger: BusLogger;
  /** How long one call may wait for its confirms; then what became of them is unknown. */
  confirmTimeoutMs: number;
  /** Most unconfirmed messages: beyond that the client would only pile them up in memory. */
  window: number;
}

export function createPublisher(options: PublisherOptions): Publisher {
  const { link, names, logger, confirmTimeoutMs } = options;
  const windows = new WeakMap<ConfirmChannel, ReturnType<typeof createWindow>>();
  const returned = new Set<string>();
  let sent = 0;

  const kept: Kept<ConfirmChannel> = keepChannel<ConfirmChannel>({
    name: 'publisher',
    logger,
    create: () => link.createConfirmChannel(),
    async prepare(channel) {
      await declareShared(link, names);
      await declareReturns(channel, names);
      windows.set(channel, createWindow(options.window));
      // An unroutable message is confirmed all the same; only this event, always before the confirm, tells.
      channel.on('return', (message) => returned.add(message.properties.correlationId));
    },
  });

  /** The callback of each message is the one truth about it; a closed channel throws before it is ever called. */
  function send(channel: ConfirmChannel, parcel: Parcel): Promise<boolean> {
    sent += 1;
    const correlationId = String(sent);
    return new Promise<boolean>((resolve, reject) => {
      const properties = { ...parcel.options, mandatory: true, correlationId };
      channel.publish(parcel.exchange, parcel.routingKey, parcel.content, properties, (error) => {
        const came = returned.delete(correlationId);
        if (error) reject(new BrokerAwayError(`not confirmed: ${error.message}`));
        else resolve(!came);
      });
    });
  }

  async function sendAll(parcels: readonly Parcel[], abandoned: AbortSignal) {
    const channel = kept.current();
    const window = windows.get(channel) ?? createWindow(options.window);
    const confirms: Promise<boolean>[] = [];
    for (const parcel of parcels) {
      await window.enter();
      if (abandoned.aborted) window.leave();
      abandoned.throwIfAborted();
      const confirm = send(channel, parcel);
      confirm.catch(() => undefined).finally(window.leave);
      confirms.push(confirm);
    }
    const routed = await Promise.all(confirms);
    return { returned: new Set(parcels.filter((_, n) => !routed[n])) };
  }

  return {
    publish(parcels) {
      const problem = link.problem();
      if (problem !== undefined) return Promise.reject(new BrokerAwayError(problem));
      // A channel that owes confirms for so long may owe them for ever: the next call gets another.
      return within(confirmTimeoutMs, 'no confirm from the broker', (signal) => {
        signal.addEventListener('abort', kept.renew, { once: true });
        return sendAll(parcels, signal);
      });
    },
    async check() {
      const problem = link.problem();
      if (problem !== undefined) throw new BrokerAwayError(problem);
      await within(3_000, 'no answer from the broker', () => kept.current().checkExchange(names.events));
    },
    close: () => kept.close(),
    tried: kept.tried,
  };
}

/** Rejects when the time is over; whatever comes after that is of no interest. */
async function within<T>(ms: number, reason: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new BrokerAwayError(`${reason} within ${ms} ms`)), ms);
  const timeout = new Promise<never>((_, reject) => {
    over.signal.addEventListener('abort', () => reject(over.signal.reason), { once: true });
  });
  try {
    return await Promise.race([work(over.signal), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets so many in at once, the others in the order they came. */
function createWindow(size: number) {
  let free = size;
  const queue: (() => void)[] = [];
  return {
    async enter(): Promise<void> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => queue.push(resolve));
    },
    leave(): void {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}
