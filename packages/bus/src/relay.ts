import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { concernsQueues, events } from '@ops/contracts/events';
import type { Knex } from 'knex';
import { reasonOf, UnroutableError } from './errors.ts';
import type { BusLogger } from './logger.ts';
import {
  type Lot,
  markPublished,
  putAside,
  readWaiting,
  releaseLease,
  takeLease,
  type WaitingEvent,
} from './outbox-store.ts';
import { backoffMs, pause } from './pause.ts';
import type { Bus, OutgoingMessage, Route } from './port.ts';

export interface RelayOptions {
  db: Knex;
  bus: Pick<Bus, 'publish' | 'missingRoutes'>;
  logger: BusLogger;
  /** Where events must arrive: until such a queue exists, events of its type wait in the outbox. */
  routes?: readonly Route[];
  /** Most events published, confirmed and marked at once. */
  batch?: number;
  /** How long the next events come together after some went out: many cost hardly more than one. */
  gatherMs?: number;
  /** How long it looks away when there was nothing to do and nobody nudged it. */
  pollMs?: number;
  /** How long after a relay was killed the next one takes over. */
  leaseMs?: number;
}

export interface Relay {
  start(): void;
  /** Ends the round at work and gives the lease back. */
  stop(): Promise<void>;
  /** Publishes, waits for the confirms, then marks. Rejects when any of it failed: the rows wait as before. */
  runOnce(): Promise<{ published: number }>;
  /** Something was committed: look at once. */
  nudge(): void;
}

/** A broker that was away for a moment takes all of it again by then. */
const apartAfter = 3;

export function createRelay(options: RelayOptions): Relay {
  const { db, bus, logger, batch = 200, gatherMs = 40, pollMs = 250 } = options;
  const lease = createLease(db, options.leaseMs ?? 5_000);
  const typesToPublish = watchRoutes(bus, options.routes ?? [], logger);
  const publishApart = lotByLot(publishAll);
  const bell = createBell();
  const stopping = new AbortController();
  let loop: Promise<void> | undefined;

  async function runOnce(): Promise<{ published: number }> {
    return { published: await publishSome({ types: await typesToPublish(), replays: true }) };
  }

  async function publishSome(lot: Lot): Promise<number> {
    if (!(await lease.hold())) return 0;
    const waiting = await readWaiting(db, batch, lot);
    if (waiting.length > 0) await publish(waiting);
    return waiting.length;
  }

  async function publishAll(lot: Lot): Promise<number> {
    let published = 0;
    for (let some = batch; some === batch && !stopping.signal.aborted; published += some) some = await publishSome(lot);
    return published;
  }

  async function publish(waiting: readonly WaitingEvent[]): Promise<void> {
    const messages = waiting.map(toMessage);
    const unroutable = await publishRoutable(bus, messages);
    const aside = new Set(unroutable?.messages);
    const ids = (wanted: boolean) =>
      waiting.filter((_, n) => aside.has(messages[n] as OutgoingMessage) === wanted).map(({ id }) => id);
    await markPublished(db, ids(false));
    if (unroutable === undefined) return;
    await putAside(db, ids(true), unroutable.message);
    logger.error({ reason: unroutable.message }, 'a replay had nowhere to go; its dead letter waits again');
  }

  async function run(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        const { published } = failures < apartAfter ? await runOnce() : await publishApart(await typesToPublish());
        failures = 0;
        if (published === batch) continue;
        if (published > 0) await pause(gatherMs, stopping.signal);
        await bell.wait(pollMs);
      } catch (error) {
        logger.warn({ reason: reasonOf(error), failures }, 'events wait in the outbox; trying again');
        await pause(backoffMs(failures), stopping.signal);
        failures += 1;
      }
    }
  }

  return {
    runOnce,
    nudge: bell.ring,
    start() {
      loop ??= run();
    },
    async stop() {
      stopping.abort();
      bell.ring();
      await loop;
      await lease
        .release()
        .catch((error) => logger.warn({ reason: reasonOf(error) }, 'the lease will run out by itself'));
    },
  };
}

/**
 * A lot of each type and one of replays, each tried though others failed: what one queue does not take holds up nothing that others
 * wait for. The first that failed goes last the next time: where the channel was given up for it, what came right after failed too.
 */
function lotByLot(publishAll: (lot: Lot) => Promise<number>) {
  const replays = 'replays';
  let last: string[] = [];
  return async (types: readonly string[]): Promise<{ published: number }> => {
    const names = [replays, ...types];
    const failures: unknown[] = [];
    let published = 0;
    for (const name of [...names.filter((one) => !last.includes(one)), ...last.filter((one) => names.includes(one))]) {
      try {
        published += await publishAll({ types: name === replays ? [] : [name], replays: name === replays });
      } catch (error) {
        if (failures.push(error) === 1) last = [...last.filter((one) => one !== name), name];
      }
    }
    if (failures.length > 0) throw failures[0];
    return { published };
  };
}

/** A replay comes to its queue, whatever it says. */
const toMessage = ({ event, queue }: WaitingEvent): OutgoingMessage =>
  queue === null ? { event, live: !concernsQueues(event) } : { event, queue };

async function publishRoutable(
  bus: Pick<Bus, 'publish'>,
  messages: OutgoingMessage[],
): Promise<UnroutableError | undefined> {
  try {
    await bus.publish(messages);
    return undefined;
  } catch (error) {
    if (error instanceof UnroutableError) return error;
    throw error;
  }
}

/**
 * The types this version knows, but for those with a queue to reach that nobody declared yet. Of another type it cannot say whom
 * it must reach: a later version beside it, which wrote it, can. A route once seen is not asked for again.
 */
function watchRoutes(bus: Pick<Bus, 'missingRoutes'>, routes: readonly Route[], logger: BusLogger) {
  let missing = routes;
  let told = '';
  return async (): Promise<string[]> => {
    if (missing.length > 0) missing = await bus.missingRoutes(missing);
    const queues = missing.map(({ queue }) => queue).join(', ');
    if (queues !== told && queues !== '') logger.warn({ queues }, 'events wait until these queues are declared');
    told = queues;
    const held = new Set(missing.map(({ type }) => type));
    return Object.keys(events).filter((type) => !held.has(type));
  };
}

/** Renewed when a third of it is gone, not each round: an idle relay writes nothing but that. */
function createLease(db: Knex, leaseMs: number) {
  const holder = randomUUID();
  let renewAt = 0;
  return {
    async hold(): Promise<boolean> {
      const asked = performance.now();
      if (asked < renewAt) return true;
      const held = await takeLease(db, holder, leaseMs);
      renewAt = held ? asked + leaseMs / 3 : 0;
      return held;
    },
    async release(): Promise<void> {
      renewAt = 0;
      await releaseLease(db, holder);
    },
  };
}

/** A wait that can be cut short; a ring while nobody waits cuts the next one. */
function createBell() {
  let rung = false;
  let wake = () => {};
  return {
    ring() {
      rung = true;
      wake();
    },
    async wait(ms: number): Promise<void> {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
    },
  };
}
