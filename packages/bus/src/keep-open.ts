import { BrokerAwayError, reasonOf } from './errors.ts';
import type { BusLogger } from './logger.ts';
import { backoffMs, pause } from './pause.ts';

export interface Opened<T> {
  value: T;
  /** Settles when the value can no longer be used. */
  lost: Promise<unknown>;
}

export interface KeepOpenOptions<T> {
  /** For log lines and for the reason given while it is away. */
  name: string;
  logger: BusLogger;
  /** Opens and prepares it completely. `again` is true when there was one before. */
  open(again: boolean): Promise<Opened<T>>;
  /** Lets go of one that was lost or is closed; its failure is of no interest. */
  dispose(value: T): Promise<unknown>;
}

/** Something that breaks with its connection and is opened anew, with growing waits, until it is closed. */
export interface Kept<T> {
  /** Throws a BrokerAwayError with the reason while there is none. */
  current(): T;
  /** Resolves once it was open for the first time; rejects when it is closed before. */
  opened: Promise<void>;
  /** Resolves when the first try to open it has ended, either way. */
  tried: Promise<void>;
  problem(): string | undefined;
  /** Lets go of the present one, though it was not lost, and opens another. */
  renew(): void;
  close(): Promise<void>;
}

export function keepOpen<T>(options: KeepOpenOptions<T>): Kept<T> {
  const { name, logger } = options;
  const closing = new AbortController();
  const stopped = new Promise<undefined>((resolve) => {
    closing.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => undefined);
  const firstTry = Promise.withResolvers<void>();
  let held: { value: T } | undefined;
  let reason: string | undefined = 'not connected yet';
  let renew = () => {};

  const dispose = (value: T) => options.dispose(value).catch(() => undefined);

  /** A close does not wait for an opening that may never end; should that end after all, its result is let go. */
  async function openUnlessStopped(again: boolean): Promise<Opened<T> | undefined> {
    const opening = options.open(again);
    const opened = await Promise.race([opening, stopped]);
    if (opened === undefined) opening.then((late) => dispose(late.value)).catch(() => undefined);
    return opened;
  }

  async function holdOne(again: boolean): Promise<boolean> {
    const opened = await openUnlessStopped(again);
    if (opened === undefined) return again;
    held = { value: opened.value };
    reason = undefined;
    first.resolve();
    firstTry.resolve();
    const renewed = new Promise<void>((resolve) => {
      renew = resolve;
    });
    await Promise.race([opened.lost.catch(() => undefined), renewed, stopped]);
    held = undefined;
    reason = 'connection lost';
    await dispose(opened.value);
    return true;
  }

  async function live(): Promise<void> {
    let again = false;
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      try {
        again = await holdOne(again);
        failures = 0;
        if (!closing.signal.aborted) logger.warn({ name }, 'lost; opening it again');
      } catch (error) {
        reason = reasonOf(error);
        firstTry.resolve();
        logger.warn({ name, reason }, 'could not be opened; trying again');
      }
      await pause(backoffMs(failures), closing.signal);
    }
  }

  const life = live();
  return {
    current() {
      if (held === undefined) throw new BrokerAwayError(`${name}: ${reason}`);
      return held.value;
    },
    opened: first.promise,
    tried: firstTry.promise,
    problem: () => (reason === undefined ? undefined : `${name}: ${reason}`),
    renew: () => renew(),
    async close() {
      closing.abort();
      firstTry.resolve();
      first.reject(new BrokerAwayError(`${name}: closed`));
      await life;
    },
  };
}
