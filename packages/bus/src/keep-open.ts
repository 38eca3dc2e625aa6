import { BrokerAwayError, reasonOf } from './errors.ts';
import type { BusLogger } from './logger.ts';
import { backoffMs, patienceMs, pause, within } from './pause.ts';

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
  /** How long an opening may take before it is given up for another; two questions' time when left out. */
  openWithinMs?: number;
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
  const { name } = options;
  const life = beginLife(options);
  const over = live(life);
  return {
    current() {
      if (life.held === undefined) throw new BrokerAwayError(`${name}: ${life.reason}`);
      return life.held.value;
    },
    opened: life.first.promise,
    tried: life.firstTry.promise,
    problem: () => (life.reason === undefined ? undefined : `${name}: ${life.reason}`),
    renew: () => life.renew(),
    async close() {
      life.closing.abort();
      life.firstTry.resolve();
      life.first.reject(new BrokerAwayError(`${name}: closed`));
      await over;
    },
  };
}

/** What `keepOpen` knows of the thing it keeps, from one opening to the next. */
interface Life<T> {
  options: KeepOpenOptions<T>;
  closing: AbortController;
  /** Settles when it is closed. */
  stopped: Promise<undefined>;
  held: { value: T } | undefined;
  /** Why there is nothing to hold at the moment. */
  reason: string | undefined;
  renew: () => void;
  first: PromiseWithResolvers<void>;
  firstTry: PromiseWithResolvers<void>;
}

function beginLife<T>(options: KeepOpenOptions<T>): Life<T> {
  const closing = new AbortController();
  const stopped = new Promise<undefined>((resolve) => {
    closing.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => undefined);
  const firstTry = Promise.withResolvers<void>();
  return { options, closing, stopped, held: undefined, reason: 'not connected yet', renew: () => {}, first, firstTry };
}

async function live<T>(life: Life<T>): Promise<void> {
  const { name, logger } = life.options;
  const { signal } = life.closing;
  let again = false;
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      again = await holdOne(life, again);
      failures = 0;
      if (!signal.aborted) logger.warn({ name }, 'lost; opening it again');
    } catch (error) {
      life.reason = reasonOf(error);
      life.firstTry.resolve();
      logger.warn({ name, reason: life.reason }, 'could not be opened; trying again');
    }
    await pause(backoffMs(failures), signal);
  }
}

async function holdOne<T>(life: Life<T>, again: boolean): Promise<boolean> {
  const opened = await openInTime(life, again);
  if (opened === undefined) return again;
  life.held = { value: opened.value };
  life.reason = undefined;
  life.first.resolve();
  life.firstTry.resolve();
  const renewed = new Promise<void>((resolve) => {
    life.renew = resolve;
  });
  await Promise.race([opened.lost.catch(() => undefined), renewed, life.stopped]);
  life.held = undefined;
  life.reason = 'connection lost';
  await letGo(life, opened);
  return true;
}

/** Neither a close nor another try waits for an opening that may never end; should it end after all, its result is let go. */
async function openInTime<T>(life: Life<T>, again: boolean): Promise<Opened<T> | undefined> {
  const { open, openWithinMs = 2 * patienceMs } = life.options;
  const opening = open(again);
  let opened: Opened<T> | undefined;
  try {
    opened = await within(openWithinMs, Promise.race([opening, life.stopped]));
    return opened;
  } finally {
    if (opened === undefined) opening.then((late) => letGo(life, late)).catch(() => undefined);
  }
}

const letGo = <T>({ options }: Life<T>, { value }: Opened<T>): Promise<unknown> =>
  options.dispose(value).catch(() => undefined);
